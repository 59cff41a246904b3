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

/** What was seen of a domain: its certificate, or why there was none to be seen, in a sentence. */
export type NamedCertificate =
  | { readonly certificate: SeenCertificate; readonly problem: null }
  | { readonly certificate: null; readonly problem: string };

/**
 * Finds the certificate of a domain. Never rejects: one that could not be seen is no finding.
 *
 * @param of what names the domain: as long as it is the same object, its certificate is believed for an hour
 */
export type NamedCertificates = (of: object, domain: NamedDomain, signal: AbortSignal) => Promise<NamedCertificate>;

export function createNamedCertificates(guard: EgressGuard, secureContext: SecureContext): NamedCertificates {
  const known = new WeakMap<object, { readonly until: number; readonly found: NamedCertificate }>();
  return async (of, { place, family, hide }, signal) => {
    const now = performance.now();
    const kept = known.get(of);
    if (kept !== undefined && now < kept.until) return kept.found;
    const serverName = place.isAddress ? null : place.host;
    const { peer, fault } = await shakeHands({ place, serverName, family, secureContext, limitMs }, guard, signal);
    const domain = hide(place.host);
    const found: NamedCertificate =
      peer === null
        ? { certificate: null, problem: `${domain}: ${hide(fault?.message ?? 'no certificate was shown')}` }
        : { certificate: seenCertificate(peer.certificates[0], domain), problem: null };
    known.set(of, { until: now + (peer === null ? leftAloneMs : believedMs), found });
    return found;
  };
}
