// Certificates reported by an HTTP result: those of all hosts on the way, or that of the monitored domain.
import type { SeenCertificate } from '#domain/results/result.ts';
import type { Trust } from '#lib/net/tls-trust.ts';
import { createNamedCertificates } from '../connection/named-certificate.ts';
import type { Endpoint } from '../connection/reach.ts';
import type { EgressGuard } from '../../kind.ts';
import type { Plan } from './plan.ts';
import { family } from '../read.ts';

/** A certificate and its host. */
export interface ShownCertificate {
  readonly place: Endpoint;
  readonly certificate: SeenCertificate;
}

/** Certificates of a result without duplicates, first to expire first. */
export interface ReportedCertificates {
  readonly certificates: readonly SeenCertificate[];
  /** Why the certificate of the monitored domain could not be read, or null. */
  readonly problem: string | null;
}

/** Finds the certificates to report. @param shown certificates of all hops, in order. Never rejects. */
export type FindCertificates = (
  plan: Plan,
  shown: readonly ShownCertificate[],
  signal: AbortSignal,
) => Promise<ReportedCertificates>;

export function createFindCertificates(guard: EgressGuard, trust: Trust): FindCertificates {
  const inspect = createNamedCertificates(guard, trust);
  return async (plan, shown, signal) => {
    const { certificateAt: named, settings, redactor } = plan;
    const hidden = (each: SeenCertificate): SeenCertificate => ({ ...each, domain: redactor.text(each.domain) });
    const of = shown.filter(({ place }) => named === null || (place.host === named.host && place.port === named.port));
    if (named === null || of.length > 0) {
      const once = new Map(of.map(({ certificate }) => [certificate.fingerprint, hidden(certificate)]));
      return { certificates: [...once.values()].sort((a, b) => a.validTo - b.validTo), problem: null };
    }
    const domain = { by: plan.of, place: named, family: family(settings.ipFamily), hide: redactor.text };
    const { certificate, problem } = await inspect(domain, signal);
    return { certificates: certificate === null ? [] : [certificate], problem };
  };
}
