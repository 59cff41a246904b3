// Who a key belongs to: asked on every request, so answered from memory, yet never long after a key is revoked.
import { timingSafeEqual } from 'node:crypto';
import type { ApiKey, Caller } from '#domain/accounts/api-key.ts';
import type { Clock } from '#lib/clock.ts';
import { isKeyText, keyHash } from './key-text.ts';

/** What of a caller follows from the key alone. */
export type KeyHolder = Pick<Caller, 'keyId' | 'role' | 'accountIds'>;

/** What authentication needs. */
export interface AuthenticationMeans {
  readonly apiKeys: {
    findByHash(hash: Uint8Array): Promise<ApiKey | null>;
    markUsed(id: string, at: number): Promise<void>;
  };
  readonly clock: Clock;
}

/** Looks keys up. */
export interface Authentication {
  /**
   * null = unknown, revoked or expired: the caller is not told which. Not awaited when the key is remembered.
   *
   * @param accountId the account that the request names: it may have been added to the key since
   */
  readonly authenticate: (key: string, accountId?: string) => KeyHolder | null | Promise<KeyHolder | null>;
  /** The key was revoked or its accounts have changed in this process: it is read again when it is next used. */
  readonly forget: (keyId: string) => void;
  /** Something about keys may have changed elsewhere: every key is read again when it is next used. */
  readonly forgetAll: () => void;
}

interface Entry {
  readonly hash: Buffer;
  readonly holder: KeyHolder;
  readonly expiresAt: number | null;
  /** Epoch ms; after `believedMs` it is read again, so that what another process revokes ends here too. */
  readonly readAt: number;
  usedAt: number | null;
}

const believedMs = 10_000;
const usedEveryMs = 60_000;
const entriesKept = 10_000;

export function createAuthentication({ apiKeys, clock }: AuthenticationMeans): Authentication {
  const entries = new Map<string, Entry>();
  let forgotten = 0;

  const use = (entry: Entry, now: number): KeyHolder | null => {
    if (entry.expiresAt !== null && now >= entry.expiresAt) return null;
    if (entry.usedAt === null || Math.abs(now - entry.usedAt) >= usedEveryMs) {
      entry.usedAt = now;
      // Beside the request: a lost time of last use harms nobody, and the store reports its own faults.
      void apiKeys.markUsed(entry.holder.keyId, now).catch(() => {});
    }
    return entry.holder;
  };

  const read = async (hash: Buffer, name: string, now: number): Promise<KeyHolder | null> => {
    const forgottenBefore = forgotten;
    const key = await apiKeys.findByHash(hash);
    entries.delete(name);
    if (key === null) return null;
    const holder = { keyId: key.id, role: key.role, accountIds: key.accountIds };
    const entry: Entry = { hash, holder, expiresAt: key.expiresAt, readAt: now, usedAt: key.lastUsedAt };
    if (forgottenBefore === forgotten) {
      if (entries.size >= entriesKept) entries.delete(entries.keys().next().value ?? '');
      entries.set(name, entry);
    }
    return use(entry, now);
  };

  return {
    authenticate(key, accountId) {
      if (!isKeyText(key)) return null;
      const hash = keyHash(key);
      const name = hash.toString('latin1');
      const now = clock.now();
      const entry = entries.get(name);
      if (entry === undefined || Math.abs(now - entry.readAt) >= believedMs) return read(hash, name, now);
      // What is remembered lets in and never refuses: whoever has just been shown the way here is not turned away.
      if (accountId !== undefined && !entry.holder.accountIds.includes(accountId)) return read(hash, name, now);
      return timingSafeEqual(entry.hash, hash) ? use(entry, now) : null;
    },
    forget(keyId) {
      forgotten++;
      for (const [name, entry] of entries) if (entry.holder.keyId === keyId) entries.delete(name);
    },
    forgetAll() {
      forgotten++;
      entries.clear();
    },
  };
}
