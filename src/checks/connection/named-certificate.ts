// The certificate of a domain that a check names beside what it looks at, seen about once an hour (reference §4.3:
// sslCheckDomain; docs/decisions/0073).
import type { SecureContext } from 'node:tls';
import type { SeenCertificate } from '#domain/result.ts';
import type { EgressGuard } from '../kind.ts';
import { seenCertificate } from './certificate.ts';
import { shakeHands } from './handshake.ts';
import type { Place } from './reach.ts';

/** How long a certificate is believed, and how long it is left alone when it could not be seen, ms. */
const believedMs = 3_600_000;
const leftAloneMs = 300_000;
/** A look takes no longer, ms: the result waits for it. */
const limitMs = 5000;

/** Whose certificate is looked at. */
export interface NamedDomain {
  readonly place: Place;
  readonly family: 0 | 4 | 6;
  /** Takes out of its name what alerts must not tell. */
  readonly hide: (text: string) => string;
}

/**
 * Finds the certificate of a domain. Never rejects: null = it could not be seen, which is no finding.
 *
 * @param of what names the domain: as long as it is the same object, its certificate is believed for an hour
 */
export type NamedCertificates = (
  of: object,
  domain: NamedDomain,
  signal: AbortSignal,
) => Promise<SeenCertificate | null>;

export function createNamedCertificates(guard: EgressGuard, secureContext: SecureContext): NamedCertificates {
  const known = new WeakMap<object, { readonly until: number; readonly certificate: SeenCertificate | null }>();
  return async (of, { place, family, hide }, signal) => {
    const now = performance.now();
    const kept = known.get(of);
    if (kept !== undefined && now < kept.until) return kept.certificate;
    const serverName = place.isAddress ? null : place.host;
    const { peer } = await shakeHands({ place, serverName, family, secureContext, limitMs }, guard, signal);
    const certificate = peer === null ? null : seenCertificate(peer.certificates[0], hide(place.host));
    known.set(of, { until: now + (certificate === null ? leftAloneMs : believedMs), certificate });
    return certificate;
  };
}
