// Authenticates API keys and sessions. Cached, because every request needs it, but only briefly, so that revoked keys
// and ended sessions stop working.
import type { Store } from '#store/store.ts';
import { hash as hashOf } from 'node:crypto';
import type { ApiKeyRole, UserPrincipal } from '#domain/accounts/api-key.ts';
import { sessionEnd } from '#domain/accounts/user.ts';
import type { Clock } from '#lib/clock.ts';
import { isKeyText, isTokenText } from './key-text.ts';

/** Caller data that follows from the key alone. */
export interface KeyHolder {
  readonly keyId: string;
  readonly role: ApiKeyRole;
  readonly accountIds: readonly string[];
}

export interface AuthenticationDeps extends Pick<Store, 'apiKeys' | 'sessions'> {
  readonly clock: Clock;
}

/** Looks up keys and sessions. */
export type Authentication = ReturnType<typeof createAuthentication>;

interface Entry<Holder> {
  readonly holder: Holder;
  /** Epoch ms. Older entries are read again, so that a revocation by another process takes effect here too. */
  readonly readAt: number;
  usedAt: number | null;
}

/** How to find the holders of one kind of credential. */
interface Source<Holder> {
  readonly find: (hash: Uint8Array) => Promise<{ readonly holder: Holder; readonly usedAt: number | null } | null>;
  readonly isExpired: (holder: Holder, usedAt: number | null, now: number) => boolean;
  readonly markUsed: (holder: Holder, at: number) => Promise<void>;
  readonly reaches: (holder: Holder, accountId: string) => boolean;
  /** ID of the key or user. */
  readonly idOf: (holder: Holder) => string;
}

const cacheMs = 10_000;
const usedEveryMs = 60_000;
const entriesMax = 10_000;

export function createAuthentication({ apiKeys, sessions, clock }: AuthenticationDeps) {
  const keys = createRemembered<KeyHolder & { readonly expiresAt: number | null }>(clock, {
    async find(hash) {
      const key = await apiKeys.findByHash(hash);
      if (key === null) return null;
      const { id: keyId, role, accountIds, expiresAt, lastUsedAt } = key;
      return { holder: { keyId, role, accountIds, expiresAt }, usedAt: lastUsedAt };
    },
    isExpired: ({ expiresAt }, _usedAt, now) => expiresAt !== null && now >= expiresAt,
    markUsed: ({ keyId }, at) => apiKeys.markUsed(keyId, at),
    reaches: ({ accountIds }, accountId) => accountIds.includes(accountId),
    idOf: ({ keyId }) => keyId,
  });
  const people = createRemembered<{ readonly principal: UserPrincipal; readonly expiresAt: number }>(clock, {
    async find(hash) {
      const found = await sessions.findByHash(hash);
      if (found === null) return null;
      const { session, principal } = found;
      return { holder: { principal, expiresAt: session.expiresAt }, usedAt: session.lastSeenAt };
    },
    isExpired: ({ expiresAt }, usedAt, now) => now >= sessionEnd({ lastSeenAt: usedAt ?? now, expiresAt }),
    markUsed: ({ principal }, at) => sessions.markSeen(principal.sessionId, at),
    reaches: ({ principal }, accountId) => principal.memberships.some((each) => each.accountId === accountId),
    idOf: ({ principal }) => principal.id,
  });
  const listeners = new Set<(id?: string) => void>();
  const forget = (id?: string): void => {
    keys.forget(id);
    people.forget(id);
    for (const listen of listeners) listen(id);
  };
  const principalOf = (found: { readonly principal: UserPrincipal } | null) => found?.principal ?? null;
  return {
    /**
     * null = unknown, revoked or expired, without distinction. Synchronous if the key is cached.
     * @param accountId the account that the request names; it may have been added to the key after caching
     */
    authenticate: (key: string, accountId?: string): KeyHolder | null | Promise<KeyHolder | null> =>
      isKeyText(key) ? keys.look(key, accountId) : null,
    /** The same for a session token; null = unknown, ended or expired. */
    authenticateSession: (token: string, accountId?: string): UserPrincipal | null | Promise<UserPrincipal | null> => {
      const found = isTokenText(token) ? people.look(token, accountId) : null;
      return found instanceof Promise ? found.then(principalOf) : principalOf(found);
    },
    /**
     * Drops a key or user from the cache after a key was revoked, a session ended, or their accounts changed; absent =
     * drops everything.
     */
    forget,
    /**
     * Listens for both, to end what a key or session still holds open. Returns a function that unsubscribes.
     * @param onForgotten is passed the ID of the key or user; undefined = any may have changed
     */
    onForgotten: (onForgotten: (id?: string) => void): (() => void) => {
      listeners.add(onForgotten);
      return () => listeners.delete(onForgotten);
    },
  };
}

function createRemembered<Holder>(clock: Clock, source: Source<Holder>) {
  /** Keyed by the SHA-256 of the credential, so that lookup time reveals nothing about other credentials. */
  const entries = new Map<string, Entry<Holder>>();
  let forgotten = 0;

  const use = (entry: Entry<Holder>, now: number): Holder | null => {
    const { holder, usedAt } = entry;
    if (source.isExpired(holder, usedAt, now)) return null;
    if (usedAt === null || Math.abs(now - usedAt) >= usedEveryMs) {
      entry.usedAt = now;
      // Not awaited: losing a time of last use is harmless, and the store reports its own errors.
      void source.markUsed(holder, now).catch(() => {});
    }
    return holder;
  };

  const read = async (hash: Buffer, name: string, now: number): Promise<Holder | null> => {
    const forgottenBefore = forgotten;
    const found = await source.find(hash);
    entries.delete(name);
    if (found === null) return null;
    const entry: Entry<Holder> = { ...found, readAt: now };
    if (forgottenBefore === forgotten) {
      if (entries.size >= entriesMax) entries.delete(entries.keys().next().value ?? '');
      entries.set(name, entry);
    }
    return use(entry, now);
  };

  return {
    look(credential: string, accountId?: string): Holder | null | Promise<Holder | null> {
      const hash = hashOf('sha256', credential, 'buffer');
      const name = hash.toString('latin1');
      const now = clock.now();
      const entry = entries.get(name);
      if (entry === undefined || Math.abs(now - entry.readAt) >= cacheMs) return read(hash, name, now);
      // A cached entry may grant access but never deny it, because an account may have been added since.
      if (accountId !== undefined && !source.reaches(entry.holder, accountId)) return read(hash, name, now);
      return use(entry, now);
    },
    /** @param id absent = all */
    forget(id?: string): void {
      forgotten++;
      for (const [name, { holder }] of entries)
        if (id === undefined || source.idOf(holder) === id) entries.delete(name);
    },
  };
}
