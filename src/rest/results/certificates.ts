// Routes of the certificates that checks see.
import type { CertificateActions } from '#actions/results/certificates.ts';
import type { CertificateBody } from '#contract/results/certificate.ts';
import type { MonitoredCertificate } from '#domain/results/certificate-expiry.ts';
import { pageOf, type Route, route, sliceOf } from '../route.ts';
import { isoText } from '../wire.ts';

export function certificateRoutes(actions: CertificateActions): Route[] {
  return [
    route('listCertificates', async ({ caller, query }) => {
      const { withinDays, groupId, tag } = query;
      const question = {
        ...(withinDays !== undefined && { withinDays }),
        ...(groupId !== undefined && { groupId }),
        ...(tag !== undefined && { tags: tag }),
      };
      return pageOf(await actions.list(caller, question, sliceOf(query)), toWire);
    }),
  ];
}

function toWire(seen: MonitoredCertificate): CertificateBody {
  const { checkId, name, checkType, domain, role = null, issuer = null, validTo, seenAt } = seen;
  const times = { validTo: isoText(validTo), seenAt: isoText(seenAt) };
  return { checkId, checkName: name, checkType, domain, role, issuer, ...times };
}
