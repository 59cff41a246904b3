// Environment variables of accounts; secrets are stored encrypted.
import { recordMapping } from '../base/records.ts';
import { deleteRows, findRow, insertRows, readPage, selectRows, updateRows } from '../base/rows.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import { idBytes } from '../base/codec.ts';
import { type Database, touchAccount, type Page, type Slice } from '../base/database.ts';
import { requireWithinLimit, requireBytes } from '../base/account-limits.ts';
import type { Seal } from '../base/seal.ts';
import type { Db, VariablesTable } from '../base/tables/schema.ts';

/** A variable of an account. Instants are epoch ms. */
export interface StoredVariable extends EnvironmentVariable {
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

const { rowOf, recordOf } = recordMapping<StoredVariable, 'variables'>({
  key: 'plain',
  value: 'plain',
  locked: 'flag',
  secret: 'flag',
  createdAt: 'plain',
  updatedAt: 'plain',
});

/** Environment variables of accounts. Secret values are encrypted in the table and decrypted in the records. */
export function createVariables(database: Database) {
  const { reader, transaction, seal } = database;
  const owned = (accountId: string) => selectRows(reader, 'variables', { account_id: idBytes(accountId) });
  const variableOf = (row: VariablesTable): StoredVariable => opened(row, seal);
  return {
    list: (accountId: string, slice: Slice): Promise<Page<StoredVariable>> =>
      readPage(owned(accountId).selectAll().orderBy('key'), slice, variableOf),
    async all(accountId: string): Promise<StoredVariable[]> {
      const rows = await owned(accountId).selectAll().orderBy('key').execute();
      return rows.map(variableOf);
    },
    async find(accountId: string, key: string): Promise<StoredVariable | null> {
      const row = await owned(accountId).selectAll().where('key', '=', key).executeTakeFirst();
      return row === undefined ? null : variableOf(row);
    },
    /** false = the key exists; nothing was changed. */
    add: (accountId: string, variable: EnvironmentVariable): Promise<boolean> =>
      transaction(async (tx) => {
        await requireWithinLimit(database, tx, accountId, 'variables');
        return addVariable(tx, database, accountId, variable);
      }),
    /** Reads, edits and writes in one transaction; `edit` may throw, and cannot change the key. null = unknown key. */
    change: (accountId: string, key: string, edit: (present: EnvironmentVariable) => EnvironmentVariable) =>
      transaction((tx) => changeVariable(tx, database, accountId, key, edit)),
    remove: (accountId: string, key: string): Promise<boolean> =>
      transaction((tx) => removeVariables(tx, accountId, [key])),
  };
}

/** false = the key exists; nothing was changed. */
export async function addVariable(
  tx: Db,
  database: Database,
  accountId: string,
  variable: EnvironmentVariable,
): Promise<boolean> {
  const row = sealedRow({ ...variable, createdAt: database.clock.now(), updatedAt: null }, database.seal);
  const added = await insertRows(tx, 'variables', { account_id: idBytes(accountId), ...row }, 'keep');
  if (added === 0) return false;
  await requireBytes(
    database,
    tx,
    accountId,
    'variableBytes',
    Buffer.byteLength(row.key) + Buffer.byteLength(row.value),
  );
  await touchAccount(tx, accountId);
  return true;
}

/** Reads, edits and writes; null = unknown key. */
export async function changeVariable(
  tx: Db,
  database: Database,
  accountId: string,
  key: string,
  edit: (present: EnvironmentVariable) => EnvironmentVariable,
): Promise<StoredVariable | null> {
  const { seal, clock } = database;
  const rowKey = { account_id: idBytes(accountId), key };
  const row = await findRow(tx, 'variables', rowKey);
  if (row === undefined) return null;
  const present = opened(row, seal);
  const next: StoredVariable = { ...present, ...edit(present), key, updatedAt: clock.now() };
  const changed = sealedRow(next, seal);
  await updateRows(tx, 'variables', rowKey, changed);
  const addedBytes = Buffer.byteLength(changed.value) - Buffer.byteLength(row.value);
  await requireBytes(database, tx, accountId, 'variableBytes', addedBytes);
  await touchAccount(tx, accountId);
  return next;
}

/** false = all are unknown. */
export async function removeVariables(tx: Db, accountId: string, keys: readonly string[]): Promise<boolean> {
  const removed = await deleteRows(tx, 'variables', { account_id: idBytes(accountId), key: keys });
  if (removed > 0) await touchAccount(tx, accountId);
  return removed > 0;
}

function sealedRow(variable: StoredVariable, seal: Seal) {
  const { value, ...row } = rowOf(variable);
  return { ...row, value: variable.secret ? seal.seal(value) : value };
}

/** The variable of a row, with its value decrypted. */
export function opened(row: VariablesTable, seal: Seal): StoredVariable {
  const variable = recordOf(row);
  return { ...variable, value: variable.secret ? seal.open(row.value) : row.value };
}
