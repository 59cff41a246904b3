// Changes to many checks, applied in parts: each is a transaction with its progress (docs/decisions/0144).
import type { Selectable } from 'kysely';
import type { Acting } from '#domain/accounts/audit-entry.ts';
import {
  type BulkChange,
  type BulkEdit,
  type ChangedCheck,
  changesKept,
  type RefusedCheck,
  undoMs,
} from '#domain/changes/bulk-change.ts';
import { waitForOthers } from '../base/account-limits.ts';
import { currentActing } from '../base/audit/acting.ts';
import { idBytes, idText, idTextOrNull, json, parsed, parsedOrNull } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { deleteRows, findRow, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import type { CheckChangesTable } from '../base/tables/change-tables.ts';
import type { Db } from '../base/tables/schema.ts';
import {
  applyTo,
  auditedBy,
  type ChangeRules,
  type DueCheck,
  type Outcome,
  previewChange,
  withinBytes,
} from './decide-changes.ts';

/** Checks per transaction: other writes wait for one of them. */
const partSize = 10;
/** The same of deletions, which take longer. */
const deletionsAtOnce = 3;

export interface NewBulkChange extends Pick<BulkChange, 'accountId' | 'id' | 'edit' | 'createdAt'> {
  readonly checkIds: readonly string[];
}

/** A process that applies changes, and until when. Times are epoch ms. */
export interface ChangeLease {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
}

/** A change in progress. */
export interface OpenChange extends BulkChange {
  /** Who started it; null = a step of the service. */
  readonly acting: Acting | null;
  readonly partsDone: number;
}

/** Deletes a check in a transaction; false = it is unknown. */
type Remove<Closing> = (tx: Db, accountId: string, id: string, closing: Closing) => Promise<boolean>;

/** @param remove deletes a check; `Closing` says how its alerts are closed */
export function createCheckChanges<Closing>(database: Database, remove: Remove<Closing>) {
  const { reader, transaction, clock } = database;
  return {
    ...additions(database),
    /** null = unknown, or it ended too long ago. */
    async find(accountId: string, id: string): Promise<BulkChange | null> {
      const row = await findRow(reader, 'check_changes', keyOf(accountId, id));
      if (row === undefined || (row.ended_at ?? clock.now()) < clock.now() - undoMs) return null;
      return changeOf(row, await isUndone(reader, row));
    },
    /** Checks that it could not change, with their present names, in order; at most `max`. */
    refused: (accountId: string, id: string, max: number) => findRefused(reader, accountId, id, max),
    /** Leases changes in progress, oldest first, and repeats those whose lease ended. */
    claim: (lease: ChangeLease, max: number): Promise<OpenChange[]> => claimChanges(database, lease, max),
    /** The checks of its next part. */
    async nextPart({ accountId, id, undoOf, partsDone }: OpenChange): Promise<DueCheck[]> {
      const key = { ...keyOfParts(accountId, undoOf ?? id), position: partsDone };
      const row = await findRow(reader, 'check_change_parts', key);
      if (undoOf !== null) return parsedOrNull<ChangedCheck[]>(row?.changed ?? null) ?? [];
      return (parsedOrNull<string[]>(row?.check_ids ?? null) ?? []).map((checkId) => ({ checkId }));
    },
    /** Applies the part in a transaction, unless another process does so or has done it. */
    applyPart: (change: OpenChange, owner: string, due: readonly DueCheck[], rules: ChangeRules, closing: Closing) => {
      const audited = auditedBy(database);
      return transaction(async (tx): Promise<void> => {
        const row = await findRow(tx, 'check_changes', keyOf(change.accountId, change.id));
        if (row?.leased_by !== owner || row.parts_done !== change.partsDone || row.ended_at !== null) return;
        const removeOne = (id: string): Promise<boolean> => remove(tx, change.accountId, id, closing);
        const outcome = await applyTo(tx, database, change.accountId, due, rules, { audited, removeOne });
        await saveProgress(tx, change, row, due, outcome, clock.now());
      });
    },
    /** Ends a change that cannot go on. The rest of its checks is kept as it is. */
    abandon: ({ accountId, id }: OpenChange): Promise<void> =>
      transaction(async (tx) => {
        await updateRows(tx, 'check_changes', keyOf(accountId, id), { ended_at: clock.now() });
      }),
    /** What a change would do to these checks. */
    preview: (accountId: string, ids: readonly string[], rules: ChangeRules) =>
      previewChange(database, accountId, ids, rules),
    /** Removes changes that can no longer be undone. */
    removeOld: (now: number): Promise<void> => removeOld(database, now),
  };
}

function additions({ transaction, clock }: Database) {
  return {
    /** `busy` = another change of the account is in progress. */
    add: ({ accountId, id, edit, createdAt, checkIds }: NewBulkChange): Promise<'added' | 'busy'> => {
      const acting = currentActing();
      return transaction(async (tx) => {
        if (await isBusy(tx, accountId)) return 'busy';
        await addParts(tx, { accountId, id, edit, createdAt, checkIds }, acting);
        return 'added';
      });
    },
    /** Takes a change back, part by part. `unknown` = there is none that can be undone. */
    addUndo: (accountId: string, id: string, undoOf: string): Promise<'added' | 'busy' | 'unknown'> => {
      const acting = currentActing();
      return transaction(async (tx) => {
        if (await isBusy(tx, accountId)) return 'busy';
        const row = await findRow(tx, 'check_changes', keyOf(accountId, undoOf));
        if (row?.edit == null || row.ended_at === null || (await isUndone(tx, row))) return 'unknown';
        const change = { id, edit: null, undoOf, checks: row.changed, parts: row.parts, createdAt: clock.now() };
        await addChange(tx, accountId, change, acting);
        return 'added';
      });
    },
  };
}

/** Adds a change, although another one may be in progress. */
export async function addParts(
  tx: Db,
  { accountId, id, edit, createdAt, checkIds }: NewBulkChange,
  acting: Acting | undefined,
): Promise<void> {
  const size = edit === null ? deletionsAtOnce : partSize;
  const parts = Array.from({ length: Math.ceil(checkIds.length / size) }, (_, position) => ({
    ...keyOfParts(accountId, id),
    position,
    check_ids: json(checkIds.slice(position * size, (position + 1) * size)),
    changed: null,
    refused: null,
  }));
  const change = { id, edit, undoOf: null, checks: checkIds.length, parts: parts.length, createdAt };
  await addChange(tx, accountId, change, acting);
  await insertRows(tx, 'check_change_parts', parts);
}

type Row = Selectable<CheckChangesTable>;

function keyOf(accountId: string, id: string) {
  return { account_id: idBytes(accountId), id: idBytes(id) };
}

function keyOfParts(accountId: string, changeId: string) {
  return { account_id: idBytes(accountId), change_id: idBytes(changeId) };
}

function changeOf(row: Row, isUndone: boolean): BulkChange {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    edit: parsedOrNull<BulkEdit>(row.edit),
    undoOf: idTextOrNull(row.undo_of),
    checks: row.checks,
    changed: row.changed,
    unchanged: row.unchanged,
    refused: row.refused,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    isUndone,
  };
}

function openChangeOf(row: Row): OpenChange {
  return { ...changeOf(row, false), acting: parsedOrNull<Acting>(row.acting), partsDone: row.parts_done };
}

async function isUndone(db: Db, { account_id, id }: Pick<Row, 'account_id' | 'id'>): Promise<boolean> {
  return (await findRow(db, 'check_changes', { account_id, undo_of: id }, ['id'])) !== undefined;
}

/** Whether a change of the account is in progress. Concurrent calls wait for each other. */
async function isBusy(tx: Db, accountId: string): Promise<boolean> {
  await waitForOthers(tx, accountId);
  const key = { account_id: idBytes(accountId), ended_at: null };
  return (await findRow(tx, 'check_changes', key, ['id'])) !== undefined;
}

/** Adds a change, in place of the oldest ones. */
async function addChange(
  tx: Db,
  accountId: string,
  change: Pick<BulkChange, 'id' | 'edit' | 'undoOf' | 'checks' | 'createdAt'> & { readonly parts: number },
  acting: Acting | undefined,
): Promise<void> {
  const { id, edit, undoOf, checks, parts, createdAt } = change;
  const kept = selectRows(tx, 'check_changes', { account_id: idBytes(accountId) }).select('id');
  const old = await kept
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(changesKept - 1)
    .limit(1000)
    .execute();
  for (const row of old) if (idText(row.id) !== undoOf) await removeChange(tx, accountId, idText(row.id));
  const { onEntries: _, ...actor } = acting ?? {};
  const counts = { checks, parts, parts_done: 0, changed: 0, unchanged: 0, refused: 0 };
  await insertRows(tx, 'check_changes', {
    ...keyOf(accountId, id),
    edit: edit === null ? null : json(edit),
    undo_of: undoOf === null ? null : idBytes(undoOf),
    acting: acting === undefined ? null : json(actor),
    ...counts,
    leased_by: null,
    leased_until: null,
    created_at: createdAt,
    ended_at: parts === 0 ? createdAt : null,
  });
}

async function claimChanges(database: Database, lease: ChangeLease, max: number): Promise<OpenChange[]> {
  const open = await selectRows(database.reader, 'check_changes', { ended_at: null })
    .selectAll()
    .orderBy('created_at')
    .limit(max)
    .execute();
  const claimed: OpenChange[] = [];
  for (const row of open) if (await takeLease(database, row, lease)) claimed.push(openChangeOf(row));
  return claimed;
}

async function removeOld({ reader, transaction }: Database, now: number): Promise<void> {
  const old = await selectRows(reader, 'check_changes', {})
    .select(['account_id', 'id'])
    .where('ended_at', '<', now - undoMs)
    .execute();
  for (const row of old) await transaction((tx) => removeChange(tx, idText(row.account_id), idText(row.id)));
}

async function removeChange(tx: Db, accountId: string, id: string): Promise<void> {
  // Its undo reads it until it ends.
  const key = { account_id: idBytes(accountId), undo_of: idBytes(id), ended_at: null };
  if ((await findRow(tx, 'check_changes', key, ['id'])) !== undefined) return;
  await deleteRows(tx, 'check_changes', keyOf(accountId, id));
  await deleteRows(tx, 'check_change_parts', keyOfParts(accountId, id));
}

async function findRefused(db: Db, accountId: string, id: string, max: number) {
  const parts = await selectRows(db, 'check_change_parts', keyOfParts(accountId, id))
    .select('refused')
    .where('refused', 'is not', null)
    .orderBy('position')
    // Each has at least one.
    .limit(max)
    .execute();
  const refused = parts.flatMap((part) => parsed<RefusedCheck[]>(part.refused ?? '[]')).slice(0, max);
  const key = { account_id: idBytes(accountId), id: refused.map(({ checkId }) => idBytes(checkId)) };
  const rows = await findRows(db, 'checks', key, ['id', 'name']);
  const names = new Map(rows.map((row) => [idText(row.id), row.name]));
  return refused.map((one) => ({ ...one, name: names.get(one.checkId) ?? null }));
}

/** Takes or renews the lease of a change; false = another process has it. */
async function takeLease({ transaction }: Database, row: Row, { owner, now, leaseMs }: ChangeLease): Promise<boolean> {
  const until = row.leased_until ?? 0;
  if (row.leased_by === owner && until - now > leaseMs / 2) return true;
  if (row.leased_by !== owner && until > now) return false;
  const { account_id, id, leased_by, leased_until } = row;
  return transaction(async (tx) => {
    const values = { leased_by: owner, leased_until: now + leaseMs };
    return (
      (await updateRows(tx, 'check_changes', { account_id, id, leased_by, leased_until, ended_at: null }, values)) > 0
    );
  });
}

async function saveProgress(
  tx: Db,
  { accountId, id, undoOf }: OpenChange,
  row: Row,
  due: readonly DueCheck[],
  outcomes: readonly Outcome[],
  now: number,
): Promise<void> {
  const changed = withinBytes(outcomes.filter((one) => one !== null && 'revision' in one));
  const refused = outcomes.filter((one) => one !== null && 'reason' in one);
  // Nothing takes an undo back.
  const restorable = undoOf === null ? json(changed) : null;
  const lists = { changed: restorable, refused: refused.length === 0 ? null : json(refused) };
  const key = { ...keyOfParts(accountId, id), position: row.parts_done };
  // The parts of an undo follow from those that it undoes.
  if (undoOf === null) await updateRows(tx, 'check_change_parts', key, lists);
  else await insertRows(tx, 'check_change_parts', { ...key, check_ids: json(due.map((one) => one.checkId)), ...lists });
  await updateRows(tx, 'check_changes', keyOf(accountId, id), {
    parts_done: row.parts_done + 1,
    changed: row.changed + changed.length,
    refused: row.refused + refused.length,
    unchanged: row.unchanged + outcomes.filter((one) => one === null).length,
    ended_at: row.parts_done + 1 === row.parts ? now : null,
  });
}
