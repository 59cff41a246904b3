// Client certificates for webhooks, cached for a few seconds.
import { type ClientIdentity, identityFor } from '#domain/accounts/client-certificate.ts';

/** Cache lifetime, ms. */
const usedMs = 5000;
/** Maximum number of cached accounts. */
const maxAccounts = 10_000;

/** The identity for a URL of an account; null = none. Never rejects: an error counts as none. */
export type FindIdentity = (accountId: string, url: string) => Promise<ClientIdentity | null>;

export function createFindIdentity(
  read: (accountId: string) => Promise<readonly ClientIdentity[]>,
  now: () => number = () => performance.now(),
): FindIdentity {
  const known = new Map<string, { readonly until: number; readonly identities: Promise<readonly ClientIdentity[]> }>();
  return async (accountId, url) => {
    const { protocol, hostname } = URL.parse(url) ?? { protocol: '', hostname: '' };
    if (protocol !== 'https:') return null;
    const kept = known.get(accountId);
    if (kept === undefined || kept.until < now()) {
      if (known.size >= maxAccounts) known.clear();
      known.set(accountId, { until: now() + usedMs, identities: read(accountId).catch(() => []) });
    }
    return identityFor((await known.get(accountId)?.identities) ?? [], hostname.replace(/^\[|\]$/g, ''));
  };
}
