// The certificate that a result of an HTTP check tells of: that of its URL, or that of a domain it names beside it.
import type { SecureContext } from 'node:tls';
import type { SeenCertificate } from '#domain/result.ts';
import { createNamedCertificates } from '../connection/named-certificate.ts';
import type { EgressGuard } from '../kind.ts';
import type { Plan } from './plan.ts';
import type { Hop } from './hop.ts';

/** Finds the certificate that a result tells of. Never rejects; a domain that cannot be looked at is not told of. */
export type OtherCertificates = (plan: Plan, hop: Hop, signal: AbortSignal) => Promise<SeenCertificate | null>;

export function createOtherCertificates(guard: EgressGuard, secureContext: SecureContext): OtherCertificates {
  const look = createNamedCertificates(guard, secureContext);
  return async (plan, hop, signal) => {
    const { certificateAt: place, settings, redactor } = plan;
    if (place === null) return hop.certificate;
    const isItsOwn = hop.certificate?.domain === place.host && plan.request.target.port === place.port;
    if (isItsOwn) return hop.certificate;
    return look(plan, { place, family: settings.family, hide: redactor.text }, signal);
  };
}
