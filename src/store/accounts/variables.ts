// Environment variables of accounts; secrets are stored encrypted.
import { deleteRows, findRow, insertRows, readPage, selectRows, updateRows } from '../base/rows.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import { flag, idBytes } from '../base/codec.ts';
import { type Database, touchAccount, type Page, type Slice } from '../base/database.ts';
import { requireWithinLimit, requireVariableBytes } from '../base/account-limits.ts';
import type { Db, VariablesTable } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';

/** A variable of an account. Instants are epoch ms. */
export interface StoredVariable extends EnvironmentVariable {
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** Environment variables of accounts. Secret values are encrypted in the table and decrypted in the records. */
export function createVariables(database: Database) {
  const { reader, transaction, seal, clock } = database;
  const owned = (accountId: string) => selectRows(reader, 'variables', { account_id: idBytes(accountId) });
  return {
    list: (accountId: string, slice: Slice): Promise<Page<StoredVariable>> =>
      readPage(owned(accountId).selectAll().orderBy('key'), slice, (row) => variableOf(row, seal)),
    async all(accountId: string): Promise<StoredVariable[]> {
      const rows = await owned(accountId).selectAll().orderBy('key').execute();
      return rows.map((row) => variableOf(row, seal));
    },
    async find(accountId: string, key: string): Promise<StoredVariable | null> {
      const row = await owned(accountId).selectAll().where('key', '=', key).executeTakeFirst();
      return row === undefined ? null : variableOf(row, seal);
    },
    /** false = the key exists; nothing was changed. */
    add: (accountId: string, { key, value, locked, secret }: EnvironmentVariable): Promise<boolean> =>
      transaction(async (tx) => {
        await requireWithinLimit(database, tx, accountId, 'variables');
        const stored = secret ? seal.seal(value) : value;
        const added = await insertRows(
          tx,
          'variables',
          {
            account_id: idBytes(accountId),
            key,
            value: stored,
            locked: flag(locked),
            secret: flag(secret),
            created_at: clock.now(),
            updated_at: null,
          },
          'keep',
        );
        if (added === 0) return false;
        await requireVariableBytes(database, tx, accountId, countBytes(key) + countBytes(stored));
        await touchAccount(tx, accountId);
        return true;
      }),
    /** Reads, edits and writes in one transaction; `edit` may throw, and cannot change the key. null = unknown key. */
    change: (accountId: string, key: string, edit: (present: EnvironmentVariable) => EnvironmentVariable) =>
      transaction((tx) => changeVariable(tx, database, accountId, key, edit)),
    remove: (accountId: string, key: string): Promise<boolean> =>
      transaction(async (tx) => {
        const removed = await deleteRows(tx, 'variables', { account_id: idBytes(accountId), key });
        if (removed === 0) return false;
        await touchAccount(tx, accountId);
        return true;
      }),
  };
}

async function changeVariable(
  tx: Db,
  { seal, clock, limits }: Pick<Database, 'seal' | 'clock' | 'limits'>,
  accountId: string,
  key: string,
  edit: (present: EnvironmentVariable) => EnvironmentVariable,
): Promise<StoredVariable | null> {
  const account = idBytes(accountId);
  const row = await findRow(tx, 'variables', { account_id: account, key });
  if (row === undefined) return null;
  const present = variableOf(row, seal);
  const next: StoredVariable = { ...present, ...edit(present), key, updatedAt: clock.now() };
  const stored = next.secret ? seal.seal(next.value) : next.value;
  await updateRows(
    tx,
    'variables',
    { account_id: account, key },
    {
      value: stored,
      locked: flag(next.locked),
      secret: flag(next.secret),
      updated_at: next.updatedAt,
    },
  );
  await requireVariableBytes({ limits }, tx, accountId, countBytes(stored) - countBytes(row.value));
  await touchAccount(tx, accountId);
  return next;
}

function countBytes(text: string): number {
  return Buffer.byteLength(text);
}

function variableOf(row: VariablesTable, seal: Seal): StoredVariable {
  const secret = row.secret === 1;
  return {
    key: row.key,
    value: secret ? seal.open(row.value) : row.value,
    locked: row.locked === 1,
    secret,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
