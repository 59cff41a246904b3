// Maintenance windows of accounts.
import {
  countFound,
  deleteRows,
  findRow,
  findRows,
  insertRows,
  readPage,
  selectRows,
  updateRows,
} from '../base/rows.ts';
import type { Selectable } from 'kysely';
import type { MaintenanceWindow } from '#domain/checks/maintenance-window.ts';
import { idBytes, idText, json, parsed } from '../base/codec.ts';
import { type Database, nextNumber, touchAccount, type Page, type Slice } from '../base/database.ts';
import { requireWithinLimit } from '../base/account-limits.ts';
import type { Db, MaintenanceWindowsTable } from '../base/tables/schema.ts';

/** Data of a window; the store sets its ID and timestamps. */
export type WindowWrite = Omit<MaintenanceWindow, 'accountId' | 'id' | 'createdAt' | 'updatedAt'>;

/** A new window skips no occurrence. */
export type NewWindow = Omit<WindowWrite, 'skippedOccurrences'>;

/** How a window refers to checks. */
export interface Named {
  readonly tags?: readonly string[];
  readonly checkIds?: readonly string[];
  readonly groupIds?: readonly number[];
}

/** Maintenance windows. */
export function createMaintenanceWindows(database: Database) {
  const { reader, transaction, clock } = database;
  const owned = (accountId: string) => selectRows(reader, 'maintenance_windows', { account_id: idBytes(accountId) });
  return {
    /** Ordered by ID. */
    list: (accountId: string, slice: Slice): Promise<Page<MaintenanceWindow>> =>
      readPage(owned(accountId).selectAll().orderBy('id'), slice, windowOf),
    /** Ordered by ID; bounded by the account's limit. */
    async all(accountId: string): Promise<MaintenanceWindow[]> {
      return (await owned(accountId).selectAll().orderBy('id').execute()).map(windowOf);
    },
    async find(accountId: string, id: number): Promise<MaintenanceWindow | null> {
      const row = await owned(accountId).selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : windowOf(row);
    },
    add: (accountId: string, write: NewWindow): Promise<MaintenanceWindow> =>
      transaction(async (tx) => {
        await requireWithinLimit(database, tx, accountId, 'maintenanceWindows');
        const id = await nextNumber(tx, accountId, 'maintenance-window');
        return addWindow(tx, clock.now(), { ...write, accountId, id });
      }),
    /** Reads, edits and writes in one transaction; `edit` may throw. null = unknown window. */
    change: (accountId: string, id: number, edit: (present: MaintenanceWindow) => WindowWrite) =>
      transaction((tx) => changeWindow(tx, clock.now(), { accountId, id }, edit)),
    /** Counts the account's checks that match by ID, by group, or by a tag of their own or of their group. */
    countNamed: (accountId: string, named: Named) => countNamed(reader, accountId, named),
    /** Those of the checks and groups that the account does not have. */
    unknownOf: (accountId: string, named: Omit<Named, 'tags'>) => unknownOf(reader, accountId, named),
    /** false = unknown window. */
    remove: (accountId: string, id: number): Promise<boolean> =>
      transaction((tx) => removeWindows(tx, accountId, [id])),
  };
}

/** Adds a window that has its ID. @param now epoch ms */
export async function addWindow(
  tx: Db,
  now: number,
  write: NewWindow & Pick<MaintenanceWindow, 'accountId' | 'id'>,
): Promise<MaintenanceWindow> {
  const row = rowOf({ ...write, skippedOccurrences: [], createdAt: now, updatedAt: null });
  await insertRows(tx, 'maintenance_windows', row);
  await touchAccount(tx, write.accountId);
  return windowOf(row);
}

/** Reads, edits and writes; null = unknown window. @param now epoch ms */
export async function changeWindow(
  tx: Db,
  now: number,
  { accountId, id }: Pick<MaintenanceWindow, 'accountId' | 'id'>,
  edit: (present: MaintenanceWindow) => WindowWrite,
): Promise<MaintenanceWindow | null> {
  const key = { account_id: idBytes(accountId), id };
  const present = await findRow(tx, 'maintenance_windows', key);
  if (present === undefined) return null;
  const write = edit(windowOf(present));
  const row = rowOf({ ...write, accountId, id, createdAt: present.created_at, updatedAt: now });
  const { definition, updated_at } = row;
  await updateRows(tx, 'maintenance_windows', key, { definition, updated_at });
  await touchAccount(tx, accountId);
  return windowOf(row);
}

/** false = all are unknown. */
export async function removeWindows(tx: Db, accountId: string, ids: readonly number[]): Promise<boolean> {
  const removed = await deleteRows(tx, 'maintenance_windows', { account_id: idBytes(accountId), id: ids });
  if (removed > 0) await touchAccount(tx, accountId);
  return removed > 0;
}

async function countNamed(
  reader: Db,
  accountId: string,
  { tags = [], checkIds = [], groupIds = [] }: Named,
): Promise<number> {
  const account = idBytes(accountId);
  const groups = await findRows(reader, 'check_groups', { account_id: account }, ['id', 'tags']);
  const named = groups
    .filter(({ id, tags: own }) => groupIds.includes(id) || parsed<string[]>(own).some((tag) => tags.includes(tag)))
    .map(({ id }) => id);
  const tagged = selectRows(reader, 'check_tags', { account_id: account }).select('check_id');
  const checks = selectRows(reader, 'checks', { account_id: account });
  return countFound(
    checks.where((where) =>
      where.or([
        ...(tags.length === 0 ? [] : [where('id', 'in', tagged.where('tag', 'in', tags))]),
        ...(checkIds.length === 0 ? [] : [where('id', 'in', checkIds.map(idBytes))]),
        ...(named.length === 0 ? [] : [where('group_id', 'in', named)]),
      ]),
    ),
  );
}

async function unknownOf(
  reader: Db,
  accountId: string,
  { checkIds = [], groupIds = [] }: Omit<Named, 'tags'>,
): Promise<Required<Omit<Named, 'tags'>>> {
  const account = idBytes(accountId);
  const checks = await findRows(reader, 'checks', { account_id: account, id: checkIds.map(idBytes) }, ['id']);
  const groups = await findRows(reader, 'check_groups', { account_id: account, id: groupIds }, ['id']);
  const knownChecks = new Set(checks.map(({ id }) => idText(id)));
  const knownGroups = new Set(groups.map(({ id }) => id));
  return {
    checkIds: checkIds.filter((id) => !knownChecks.has(id)),
    groupIds: groupIds.filter((id) => !knownGroups.has(id)),
  };
}

/** Maximum number of cached windows, of all accounts. */
const maxStored = 20_000;
const kept = new Map<string, MaintenanceWindow>();

/**
 * The record of a row; the same object while the row is unchanged. Also caches the next occurrence, which is expensive
 * to compute.
 */
export function windowOf(row: Selectable<MaintenanceWindowsTable>): MaintenanceWindow {
  const { account_id, id, definition, created_at, updated_at } = row;
  const accountId = idText(account_id);
  const name = `${accountId}/${id}/${created_at}/${updated_at}/${definition}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  // Windows of earlier versions have none of these.
  const added = { checkIds: [], groupIds: [], skippedOccurrences: [] };
  const window = {
    ...added,
    ...parsed<WindowWrite>(definition),
    accountId,
    id,
    createdAt: created_at,
    updatedAt: updated_at,
  };
  if (kept.size >= maxStored) kept.clear();
  kept.set(name, window);
  return window;
}

function rowOf({ accountId, id, createdAt, updatedAt, ...definition }: MaintenanceWindow): MaintenanceWindowsTable {
  return {
    account_id: idBytes(accountId),
    id,
    definition: json(definition),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
