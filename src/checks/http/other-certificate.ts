// The certificate of a domain that an API check names beside its URL, looked at about once an hour (reference §4.3:
// sslCheckDomain).
import type { SecureContext } from 'node:tls';
import type { SeenCertificate } from '#domain/result.ts';
import { seenCertificate } from '../connection/certificate.ts';
import { shakeHands } from '../connection/handshake.ts';
import type { EgressGuard } from '../kind.ts';
import type { Plan } from './plan.ts';
import type { Hop } from './hop.ts';

/** How long a certificate is believed, and how long it is left alone when it could not be seen, ms. */
const believedMs = 3_600_000;
const leftAloneMs = 300_000;
/** A look takes no longer, ms: the result waits for it. */
const limitMs = 5000;

/** Finds the certificate that a result tells of. Never rejects; a domain that cannot be looked at is not told of. */
export type OtherCertificates = (plan: Plan, hop: Hop, signal: AbortSignal) => Promise<SeenCertificate | null>;

export function createOtherCertificates(guard: EgressGuard, secureContext: SecureContext): OtherCertificates {
  const known = new WeakMap<Plan, { readonly until: number; readonly certificate: SeenCertificate | null }>();
  return async (plan, hop, signal) => {
    const { certificateAt: place } = plan;
    if (place === null) return hop.certificate;
    const isItsOwn = hop.certificate?.domain === place.host && plan.request.target.port === place.port;
    if (isItsOwn) return hop.certificate;
    const now = performance.now();
    const kept = known.get(plan);
    if (kept !== undefined && now < kept.until) return kept.certificate;
    const serverName = place.isAddress ? null : place.host;
    const { family } = plan.settings;
    const { peer } = await shakeHands({ place, serverName, family, secureContext, limitMs }, guard, signal);
    const certificate = peer === null ? null : seenCertificate(peer.certificates[0], place.host);
    known.set(plan, { until: now + (certificate === null ? leftAloneMs : believedMs), certificate });
    return certificate;
  };
}
