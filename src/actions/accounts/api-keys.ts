// Actions on API keys (decisions: API key, Key and accounts).
import type { Page, Slice } from '#store/base/database.ts';
import type { Store } from '#store/store.ts';
import type { ApiKey, ApiKeyRole, Caller } from '#domain/accounts/api-key.ts';
import type { Clock } from '#lib/clock.ts';
import { isUuid, newId } from '#lib/id.ts';
import { tokenHash, keyPrefix, newKeyText } from './key-text.ts';
import { requirePermission } from './permission.ts';
import { invalidField, notFound, Refusal } from '../refusal.ts';

/** Input of a new key. */
export interface NewApiKey {
  readonly name: string;
  readonly role: ApiKeyRole;
  /** The first is the key's default. Absent = the account of the request. */
  readonly accountIds?: readonly string[];
  /** Epoch ms; null = never. */
  readonly expiresAt: number | null;
}

export interface ApiKeyDeps extends Pick<Store, 'apiKeys'> {
  readonly forgetKey: (keyId: string) => void;
  readonly clock: Clock;
}

export type ApiKeyActions = ReturnType<typeof createApiKeyActions>;

export function createApiKeyActions({ apiKeys, forgetKey, clock }: ApiKeyDeps) {
  return {
    /** Only this response contains the key itself. */
    async create(caller: Caller, wanted: NewApiKey): Promise<ApiKey & { readonly key: string }> {
      requirePermission(caller, 'admin');
      if (wanted.role === 'operator') requirePermission(caller, 'operate');
      const now = clock.now();
      const accountIds = reachedAccounts(caller, wanted.accountIds);
      if (wanted.expiresAt !== null && wanted.expiresAt <= now)
        throw invalidField('expiresAt', 'must be in the future');
      const text = newKeyText();
      const key: ApiKey = {
        id: newId(),
        name: wanted.name,
        prefix: keyPrefix(text),
        role: wanted.role,
        accountIds,
        createdAt: now,
        lastUsedAt: null,
        expiresAt: wanted.expiresAt,
      };
      await apiKeys.add(key, tokenHash(text));
      return { ...key, key: text };
    },
    /** Keys that share an account with the caller's key, with the shared accounts; oldest first. */
    async list(caller: Caller, page: Slice): Promise<Page<ApiKey>> {
      requirePermission(caller, 'admin');
      const { rows, total } = await apiKeys.list(caller.accountIds, page);
      return { rows: rows.map((key) => sharedWith(caller, key)), total };
    },
    /** Refuses (`not-found`) a key that shares no account with the caller's. */
    async find(caller: Caller, id: string): Promise<ApiKey> {
      requirePermission(caller, 'admin');
      const key = isUuid(id) ? await apiKeys.find(id) : null;
      const shown = key && sharedWith(caller, key);
      if (!shown || shown.accountIds.length === 0) throw notFound('API key', id);
      return shown;
    },
    /**
     * Removes all accounts of the caller's key from the key; a key without accounts is deleted. Refuses (`conflict`) the
     * calling key, so that callers cannot lock themselves out.
     */
    async revoke(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'admin');
      const keyId = id.toLowerCase();
      if (caller.principal.kind === 'api-key' && keyId === caller.principal.id) {
        throw new Refusal('conflict', 'An API key cannot revoke itself. Use another admin key.');
      }
      const present = isUuid(keyId) ? await apiKeys.find(keyId) : null;
      const isShared = present !== null && sharedWith(caller, present).accountIds.length > 0;
      if (isShared && present.role === 'operator') requirePermission(caller, 'operate');
      const isRevoked = isShared && (await apiKeys.revoke(keyId, caller.accountIds));
      if (!isRevoked) throw notFound('API key', id);
      forgetKey(keyId);
    },
  };
}

/** The key without the accounts that the caller's key cannot access. */
function sharedWith(caller: Caller, key: ApiKey): ApiKey {
  return { ...key, accountIds: key.accountIds.filter((id) => caller.accountIds.includes(id)) };
}

/**
 * The accounts of a new key, without duplicates. Refuses accounts that the caller's key cannot access, whether they
 * exist or not.
 */
function reachedAccounts(caller: Caller, wanted: readonly string[] | undefined): string[] {
  const accountIds = [...new Set((wanted ?? [caller.accountId]).map((id) => id.toLowerCase()))];
  if (accountIds.length === 0) throw invalidField('accountIds', 'must name at least one account');
  const foreign = accountIds.find((id) => !caller.accountIds.includes(id));
  if (foreign === undefined) return accountIds;
  throw new Refusal('forbidden', `accountIds: your API key has no access to the account ${foreign}.`);
}
