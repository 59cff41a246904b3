// The first account of an empty database and the key that manages it (design §6: TOCSIN_BOOTSTRAP_API_KEY).
import type { Account } from '#domain/accounts/account.ts';
import type { ApiKey } from '#domain/accounts/api-key.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { isKeyText, keyHash, keyPrefix, newKeyText } from './key-text.ts';

/** What making the first account needs. */
export interface FirstAccountMeans {
  readonly apiKeys: { addFirst(account: Account, key: ApiKey, hash: Uint8Array): Promise<boolean> };
  readonly clock: Clock;
}

/** What the operator wants them to be; random where absent. */
export interface FirstAccountWishes {
  readonly key?: string;
  readonly accountId?: string;
}

/**
 * Makes the account "Default" and the operator's key, and answers with the key, which is not kept; null = the database has
 * an account already, and nothing was changed. Throws on a key of another form.
 */
export async function ensureFirstAccount(
  { apiKeys, clock }: FirstAccountMeans,
  wishes: FirstAccountWishes = {},
): Promise<{ readonly accountId: string; readonly key: string } | null> {
  const text = wishes.key ?? newKeyText();
  if (!isKeyText(text)) throw new Error('the first API key must be tsn_ and 32 to 128 of A-Z a-z 0-9 _ -');
  const now = clock.now();
  const accountId = (wishes.accountId ?? newId()).toLowerCase();
  const account: Account = {
    id: accountId,
    name: 'Default',
    runtimeId: null,
    settings: null,
    alertSettings: null,
    executionLimit: null,
    limits: null,
    createdAt: now,
  };
  const key: ApiKey = {
    id: newId(),
    name: 'First key',
    prefix: keyPrefix(text),
    role: 'operator',
    accountIds: [accountId],
    createdAt: now,
    lastUsedAt: null,
    expiresAt: null,
  };
  const isMade = await apiKeys.addFirst(account, key, keyHash(text));
  return isMade ? { accountId, key: text } : null;
}
