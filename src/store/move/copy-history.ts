// The old results of an account, copied while it goes on where it is: they never change any more.
import { ageColumnOf, historyOf, oldRowsOf } from './account-tables.ts';
import { cellsOfJson, cellsToJson } from './cells.ts';
import { createRowSum, type RowSum } from './checksum.ts';
import { CopyError } from './copy-installation.ts';
import { copyTable, sumOf } from './copy-table.ts';
import { removeRows } from './leave.ts';
import { changeMove } from './move-rows.ts';
import type { AccountMoving } from './moving.ts';
import { createReadable } from './reseal.ts';
import type { Cell, Row, TableShape } from './shape.ts';
import { type Side, tableOf, type Writing } from './side.ts';

/** How far it is; null = nothing of it is there. */
export type HistoryNote = {
  /** The table that is under way and its last key; null = all of them are there. */
  readonly at: { readonly table: string; readonly after: readonly unknown[] | null } | null;
  /** What was read, by table. */
  readonly sums: Readonly<Record<string, { readonly rows: number; readonly lanes: readonly number[] }>>;
} | null;

/** Rows of a transaction: the service beside waits no longer than for one of its own. */
export const rowsBeside = 300;

/** Copies what is missing of it; `write` makes the note's text. */
export async function copyHistory(
  moving: AccountMoving,
  note: HistoryNote,
  write: (note: HistoryNote) => string,
): Promise<HistoryNote> {
  const { from, to, leaving, listener } = moving;
  const tables = historyOf(from);
  if (note !== null && note.at === null) return note;
  const now = await to.now();
  let latest: NonNullable<HistoryNote> = note ?? { at: null, sums: {} };
  const save = async (writing: Writing, next: NonNullable<HistoryNote>): Promise<void> => {
    const change = { was: 'arriving', state: 'arriving', note: write(next) };
    await changeMove(writing, leaving.accountId, leaving.moveId, change, now);
    latest = next;
  };
  const { accountId } = leaving;
  const guard = (writing: Writing): Promise<void> => holdArriving(moving, writing, now);
  if (note === null)
    await removeRows(
      to,
      tables.map(({ name }) => tableOf(to, name)),
      { accountId, guard },
    );
  const begun = note?.at ?? null;
  const first = begun === null ? 0 : tables.findIndex(({ name }) => name === begun.table);
  for (const [index, table] of tables.entries()) {
    if (index < first) continue;
    const after = index === first && begun?.after ? cellsOfJson(begun.after) : null;
    listener.onTable('copy', `${table.name}, before the pause`, await countOld(from, table, accountId, moving.bound));
    await copyOld(moving, table, after, { save, latest: () => latest });
    const next = tables[index + 1];
    const at = next === undefined ? null : { table: next.name, after: null };
    await to.write((writing) => save(writing, { ...latest, at }));
  }
  return latest;
}

/** How many rows of a table are history. */
export async function countOld(
  side: Side,
  table: TableShape,
  accountId: Uint8Array,
  bound: Uint8Array,
): Promise<number> {
  const sql = `SELECT count(*) AS n FROM ${table.name} WHERE account_id = ? AND ${ageColumnOf(table)} < ?`;
  const [row] = await side.write((writing) => writing.query(sql, [accountId, bound]));
  return Number(row?.['n']);
}

/** Throws CopyError when the target's row is no longer this command's: part of every transaction there. */
export function holdArriving({ leaving }: AccountMoving, writing: Writing, now: number): Promise<void> {
  return changeMove(writing, leaving.accountId, leaving.moveId, { was: 'arriving', state: 'arriving' }, now);
}

interface Standing {
  readonly save: (writing: Writing, next: NonNullable<HistoryNote>) => Promise<void>;
  readonly latest: () => NonNullable<HistoryNote>;
}

async function copyOld(
  { from, to, leaving, bound, listener, turn, order }: AccountMoving,
  table: TableShape,
  after: readonly Cell[] | null,
  { save, latest }: Standing,
): Promise<void> {
  const { name } = table;
  const slice = oldRowsOf(table, leaving.accountId, bound);
  // Of what has arrived; a transaction that is repeated or undone adds nothing.
  let sum = createRowSum(createReadable(order.fromSeal), after === null ? undefined : latest().sums[name]);
  let batch: Row[] = [];
  const summed = (): RowSum => {
    const next = createRowSum(createReadable(order.fromSeal), { rows: sum.rows, lanes: sum.lanes() });
    for (const row of batch) next.add(row);
    return next;
  };
  await copyTable(from, to, tableOf(to, name), {
    slice,
    after,
    most: rowsBeside,
    turn: (row) => {
      batch.push(row);
      return turn(row);
    },
    note: async (writing, key) => {
      const next = summed();
      const sums = { ...latest().sums, [name]: { rows: next.rows, lanes: next.lanes() } };
      await save(writing, { at: { table: name, after: cellsToJson(key) }, sums });
    },
    onRows: (rows) => {
      sum = summed();
      batch = [];
      listener.onRows(rows);
    },
  });
}

/** Whether what arrived is what was read. Throws CopyError. */
export async function verifyHistory(moving: AccountMoving, history: HistoryNote): Promise<void> {
  const { to, leaving, bound, listener, order } = moving;
  for (const table of historyOf(to)) {
    const noted = history?.sums[table.name];
    const slice = oldRowsOf(table, leaving.accountId, bound);
    listener.onTable('verify', `${table.name}, before the pause`, noted?.rows ?? 0);
    const readable = createReadable(order.toSeal);
    const found = await sumOf(to, table, { slice, readable, onRows: (rows) => listener.onRows(rows) });
    if (found.text() === createRowSum((text) => text, noted).text()) continue;
    throw new CopyError(
      `${table.name} that were copied before the pause are not all in ${to.shown} (${found.rows} of ${noted?.rows ?? 0}): ` +
        'is TOCSIN_RETENTION_DAYS shorter there? Make it as long as in the source for the time of the move',
    );
  }
}
