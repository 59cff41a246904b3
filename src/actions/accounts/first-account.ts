// Creates the first account of an empty database and the operator key that manages it (design §6:
// TOCSIN_BOOTSTRAP_API_KEY).
import type { Store } from '#store/store.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { ApiKey } from '#domain/accounts/api-key.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { isKeyText, tokenHash, keyPrefix, newKeyText } from './key-text.ts';

export interface FirstAccountDeps extends Pick<Store, 'apiKeys'> {
  readonly clock: Clock;
}

/** Values that the operator chose; random if absent. */
export interface FirstAccountOptions {
  readonly key?: string;
  readonly accountId?: string;
}

/**
 * Creates the account "Default" and the operator's key. Returns the key, which is not stored; null = there is an
 * account already, and nothing was changed. Throws if the key has an invalid format.
 */
export async function ensureFirstAccount(
  { apiKeys, clock }: FirstAccountDeps,
  requested: FirstAccountOptions = {},
): Promise<{ readonly accountId: string; readonly key: string } | null> {
  const text = requested.key ?? newKeyText();
  if (!isKeyText(text)) throw new Error('the first API key must be tsn_ and 32 to 128 of A-Z a-z 0-9 _ -');
  const now = clock.now();
  const accountId = (requested.accountId ?? newId()).toLowerCase();
  const account: Account = {
    id: accountId,
    name: 'Default',
    runtimeId: null,
    settings: null,
    alertSettings: null,
    executionLimit: null,
    limits: null,
    timeZone: null,
    requiresSecondFactor: false,
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
  const isMade = await apiKeys.addFirst(account, key, tokenHash(text));
  return isMade ? { accountId, key: text } : null;
}
