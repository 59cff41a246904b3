// The certificate of a domain that a check names beside what it looks at, seen about once an hour (reference §4.3:
// sslCheckDomain; docs/decisions/0037).
import type { ThreadInput } from '#domain/checks/probe.ts';
import type { SeenCertificate } from '#domain/results/result.ts';
import { createRecent } from '#lib/recent.ts';
import type { Trust } from '#lib/net/tls-trust.ts';
import type { EgressGuard } from '../../kind.ts';
import { seenCertificate } from './certificate.ts';
import { shakeHands } from './handshake.ts';
import type { Place } from './reach.ts';

/** How long a certificate is believed, and how long it is left alone when it could not be seen, ms. */
const believedMs = 3_600_000;
const leftAloneMs = 300_000;
/** A look takes no longer, ms: the result waits for it. */
const limitMs = 5000;

/** Certificates that are believed at once; of others each is looked at for each probe. */
const believedMost = 20_000;

/** Whose certificate is looked at. */
export interface NamedDomain {
  /** What names the domain, a check of a revision: as long as it is the same, what was seen is believed. */
  readonly by: Pick<ThreadInput, 'check' | 'revision'>;
  readonly place: Place;
  readonly family: 0 | 4 | 6;
  /** Takes out of its name what alerts must not tell. */
  readonly hide: (text: string) => string;
}

/** What was seen of a domain: its certificate, or why there was none to be seen, in a sentence. */
export type NamedCertificate =
  | { readonly certificate: SeenCertificate; readonly problem: null }
  | { readonly certificate: null; readonly problem: string };

/** Finds the certificate of a domain. Never rejects: one that could not be seen is no finding. */
export type NamedCertificates = (domain: NamedDomain, signal: AbortSignal) => Promise<NamedCertificate>;

export function createNamedCertificates(guard: EgressGuard, trust: Trust): NamedCertificates {
  const secureContext = trust.createContext();
  const known = createRecent<{ readonly until: number; readonly found: NamedCertificate }>({
    most: believedMost,
    sizeOf: () => 1,
  });
  return async ({ by, place, family, hide }, signal) => {
    const now = performance.now();
    const name = `${by.check.id} ${by.revision} ${family} ${place.host} ${place.port}`;
    const kept = known.get(name);
    if (kept !== undefined && now < kept.until) return hidden(kept.found, hide);
    const serverName = place.isAddress ? null : place.host;
    const handshake = { place, serverName, family, secureContext, trust, limitMs };
    const { peer, fault } = await shakeHands(handshake, guard, signal);
    const domain = hide(place.host);
    const found: NamedCertificate =
      peer === null
        ? { certificate: null, problem: `${domain}: ${hide(fault?.message ?? 'no certificate was shown')}` }
        : { certificate: seenCertificate(peer.path, domain), problem: null };
    known.set(name, { until: now + (peer === null ? leftAloneMs : believedMs), found });
    return found;
  };
}

/** Of what was seen for another run: scripts may have made something secret since. */
function hidden(found: NamedCertificate, hide: NamedDomain['hide']): NamedCertificate {
  return found.certificate === null
    ? { certificate: null, problem: hide(found.problem) }
    : { certificate: { ...found.certificate, domain: hide(found.certificate.domain) }, problem: null };
}
