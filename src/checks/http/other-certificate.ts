// The certificate that a result of an HTTP check tells of: that of its URL, or that of a domain it names beside it.
import type { SeenCertificate } from '#domain/result.ts';
import type { Trust } from '#lib/tls-trust.ts';
import { createNamedCertificates, type NamedCertificate } from '../connection/named-certificate.ts';
import type { EgressGuard } from '../kind.ts';
import type { Plan } from './plan.ts';
import type { Hop } from './hop.ts';

/** The certificate that a result tells of, if it does, and why that of the domain it names could not be seen, if it was not. */
export type OtherCertificate =
  | NamedCertificate
  | { readonly certificate: SeenCertificate | null; readonly problem: null };

/** Finds the certificate that a result tells of. Never rejects. */
export type OtherCertificates = (plan: Plan, hop: Hop, signal: AbortSignal) => Promise<OtherCertificate>;

export function createOtherCertificates(guard: EgressGuard, trust: Trust): OtherCertificates {
  const look = createNamedCertificates(guard, trust);
  return async (plan, hop, signal) => {
    const { certificateAt: place, settings, redactor } = plan;
    const own = { certificate: hop.certificate, problem: null };
    if (place === null) return own;
    const isItsOwn = hop.certificate?.domain === place.host && plan.request.target.port === place.port;
    if (isItsOwn) return own;
    return look({ by: plan.of, place, family: settings.family, hide: redactor.text }, signal);
  };
}
