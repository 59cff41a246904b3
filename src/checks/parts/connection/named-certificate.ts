// The certificate of a separately monitored domain, fetched about once an hour (reference §4.3: sslCheckDomain;
// docs/decisions/0037).
import type { ThreadInput } from '#domain/checks/probe.ts';
import type { SeenCertificate } from '#domain/results/result.ts';
import { createRecent } from '#lib/recent.ts';
import type { Trust } from '#lib/net/tls-trust.ts';
import type { EgressGuard } from '../../kind.ts';
import { seenCertificate } from './certificate.ts';
import { shakeHands } from './handshake.ts';
import type { Endpoint } from './reach.ts';
import { isIP } from 'node:net';
import { asciiHost } from '#lib/net/host-name.ts';
import { hasPlaceholder } from '../placeholders.ts';

/** Parses `host` or `host:port`; null if invalid. */
export function readDomain(text: string): Endpoint | null {
  const [, bracketed, plain, port = '443'] =
    /^(?:\[([\da-f:.]+)\]|([^\s/:@]+))(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  const host = asciiHost((bracketed ?? plain ?? '').replace(/\.$/, '').toLowerCase());
  if (host === null || host === '' || Number(port) < 1 || Number(port) > 65_535) return null;
  return { host, isAddress: isIP(host) > 0, port: Number(port) };
}

/** Returns why a domain is invalid, or null. Values of variables are not known yet; '' = none. */
export function domainProblem(text: string): string | null {
  if (text === '' || hasPlaceholder(text) || readDomain(text) !== null) return null;
  return `"${text}" is not a domain; use shop.example or shop.example:8443`;
}

/** How long a certificate or a failure is cached. */
const cacheMs = 3_600_000;
const leftAloneMs = 300_000;
/** Time limit, because the result waits for it. */
const limitMs = 5000;

/** Maximum cached certificates. Beyond it, every probe fetches its own. */
const maxRemembered = 20_000;

interface NamedDomain {
  /** Identifies the check revision, for caching. */
  readonly by: Pick<ThreadInput, 'check' | 'revision'>;
  readonly place: Endpoint;
  readonly family: 0 | 4 | 6;
  /** Masks values that alerts must not show. */
  readonly hide: (text: string) => string;
}

/** The certificate of a domain, or why it could not be read. */
type NamedCertificate =
  | { readonly certificate: SeenCertificate; readonly problem: null }
  | { readonly certificate: null; readonly problem: string };

/** Fetches the certificate of a domain. Never rejects. */
type NamedCertificates = (domain: NamedDomain, signal: AbortSignal) => Promise<NamedCertificate>;

export function createNamedCertificates(guard: EgressGuard, trust: Trust): NamedCertificates {
  const secureContext = trust.createContext();
  const known = createRecent<{ readonly until: number; readonly found: NamedCertificate }>({
    max: maxRemembered,
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
    known.set(name, { until: now + (peer === null ? leftAloneMs : cacheMs), found });
    return found;
  };
}

/** Masks a cached message again, because scripts may have made more values secret. */
function hidden(found: NamedCertificate, hide: NamedDomain['hide']): NamedCertificate {
  return found.certificate === null
    ? { certificate: null, problem: hide(found.problem) }
    : { certificate: { ...found.certificate, domain: hide(found.certificate.domain) }, problem: null };
}
