// The certificates that a result of an HTTP check reports: those of every host on the way, or that of the domain it names.
import type { SeenCertificate } from '#domain/results/result.ts';
import type { Trust } from '#lib/net/tls-trust.ts';
import { createNamedCertificates } from '../connection/named-certificate.ts';
import type { Place } from '../connection/reach.ts';
import type { EgressGuard } from '../../kind.ts';
import type { Plan } from './plan.ts';

/** A certificate, and where it was seen. */
export interface ShownCertificate {
  readonly place: Place;
  readonly certificate: SeenCertificate;
}

/** What a result reports: each certificate once, the first to expire in front. */
export interface ReportedCertificates {
  readonly certificates: readonly SeenCertificate[];
  /** Why the certificate of the named domain could not be seen; null = it was, or none is named. */
  readonly problem: string | null;
}

/** Finds the certificates to report. @param shown those of all hops, in their order. Never rejects. */
export type FindCertificates = (
  plan: Plan,
  shown: readonly ShownCertificate[],
  signal: AbortSignal,
) => Promise<ReportedCertificates>;

export function createFindCertificates(guard: EgressGuard, trust: Trust): FindCertificates {
  const look = createNamedCertificates(guard, trust);
  return async (plan, shown, signal) => {
    const { certificateAt: named, settings, redactor } = plan;
    const hidden = (each: SeenCertificate): SeenCertificate => ({ ...each, domain: redactor.text(each.domain) });
    const of = shown.filter(({ place }) => named === null || (place.host === named.host && place.port === named.port));
    if (named === null || of.length > 0) {
      const once = new Map(of.map(({ certificate }) => [certificate.fingerprint, hidden(certificate)]));
      return { certificates: [...once.values()].sort((a, b) => a.validTo - b.validTo), problem: null };
    }
    const domain = { by: plan.of, place: named, family: settings.family, hide: redactor.text };
    const { certificate, problem } = await look(domain, signal);
    return { certificates: certificate === null ? [] : [certificate], problem };
  };
}
