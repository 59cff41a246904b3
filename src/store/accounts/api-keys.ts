// API keys and the accounts they have access to.
import { countFound, deleteRows, findRows, insertRows, updateRows } from '../base/rows.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { ApiKey, ApiKeyRole } from '#domain/accounts/api-key.ts';
import { accountRows } from './accounts.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';
import type { Database, Page, Slice } from '../base/database.ts';
import type { ApiKeysTable } from '../base/tables/installation-tables.ts';
import { requireWithinLimit } from '../base/account-limits.ts';
import type { Db } from '../base/tables/schema.ts';

/** API keys. Only the SHA-256 (32 bytes) of a key is stored. */
export function createApiKeys(database: Database) {
  const { reader } = database;
  return {
    findByHash: (hash: Uint8Array) => findKey(reader, 'hash', hash),
    find: (id: string) => findKey(reader, 'id', idBytes(id)),
    /** Keys with access to any of the accounts, oldest first. */
    list: (accountIds: readonly string[], page: Slice) => listKeys(reader, accountIds, page),
    add: (key: ApiKey, hash: Uint8Array): Promise<void> =>
      database.transaction(async (tx) => {
        for (const accountId of key.accountIds) await requireWithinLimit(database, tx, accountId, 'apiKeys');
        await insertKey(tx, key, hash);
      }),
    /** Creates the first account and the key that manages it, unless there is an account already (returns false). */
    addFirst: (account: Account, key: ApiKey, hash: Uint8Array): Promise<boolean> =>
      database.transaction(async (tx) => {
        if ((await tx.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) !== undefined) return false;
        await insertRows(tx, 'accounts', accountRows.rowOf(account));
        await insertKey(tx, key, hash);
        return true;
      }),
    /** `at`: epoch ms. */
    markUsed: (id: string, at: number): Promise<void> =>
      database.transaction(async (tx) => {
        await updateRows(tx, 'api_keys', { id: idBytes(id) }, { last_used_at: at });
      }),
    /** Removes the accounts from the key, and deletes a key without accounts; false = it had none of them. */
    revoke: (id: string, accountIds: readonly string[]) => database.transaction((tx) => revokeKey(tx, id, accountIds)),
  };
}

async function findKey(reader: Db, column: 'id' | 'hash', value: Uint8Array): Promise<ApiKey | null> {
  const row = await reader.selectFrom('api_keys').selectAll().where(column, '=', value).executeTakeFirst();
  return row === undefined ? null : ((await withAccounts(reader, [row]))[0] ?? null);
}

async function listKeys(reader: Db, accountIds: readonly string[], { limit, offset }: Slice): Promise<Page<ApiKey>> {
  const reaching = reader
    .selectFrom('api_keys')
    .where((where) =>
      where.exists(
        where
          .selectFrom('api_key_accounts')
          .select('api_key_id')
          .whereRef('api_key_accounts.api_key_id', '=', 'api_keys.id')
          .where('account_id', 'in', accountIds.map(idBytes)),
      ),
    );
  const rows = await reaching.selectAll().orderBy('created_at').orderBy('id').limit(limit).offset(offset).execute();
  const total = await countFound(reaching);
  return { rows: await withAccounts(reader, rows), total };
}

async function insertKey(tx: Db, key: ApiKey, hash: Uint8Array): Promise<void> {
  await insertRows(tx, 'api_keys', {
    id: idBytes(key.id),
    hash,
    prefix: key.prefix,
    name: key.name,
    // Processes of an older version know no operators.
    role: key.role === 'operator' ? 'admin' : key.role,
    is_operator: key.role === 'operator' ? 1 : null,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    expires_at: key.expiresAt,
  });
  await insertRows(
    tx,
    'api_key_accounts',
    key.accountIds.map((accountId, position) => ({
      api_key_id: idBytes(key.id),
      account_id: idBytes(accountId),
      position,
    })),
  );
}

async function revokeKey(tx: Db, id: string, accountIds: readonly string[]): Promise<boolean> {
  const key = idBytes(id);
  const taken = await deleteRows(tx, 'api_key_accounts', { api_key_id: key, account_id: accountIds.map(idBytes) });
  if (taken === 0) return false;
  await tx
    .deleteFrom('api_keys')
    .where('id', '=', key)
    .where((where) =>
      where.not(where.exists(where.selectFrom('api_key_accounts').select('account_id').where('api_key_id', '=', key))),
    )
    .execute();
  return true;
}

async function withAccounts(reader: Db, rows: readonly ApiKeysTable[]): Promise<ApiKey[]> {
  const key = { api_key_id: rows.map((row): IdBytes => row.id) };
  const reached = await findRows(reader, 'api_key_accounts', key, '*', ['position']);
  const accountsByKey = Map.groupBy(reached, (row) => idText(row.api_key_id));
  return rows.map((row) => {
    const id = idText(row.id);
    return {
      id,
      name: row.name,
      prefix: row.prefix,
      role: row.is_operator === 1 ? 'operator' : (row.role as ApiKeyRole),
      accountIds: (accountsByKey.get(id) ?? []).map((reach) => idText(reach.account_id)),
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
      expiresAt: row.expires_at,
    };
  });
}
