// The old results of an account, copied while it goes on where it is: they never change any more.
import { type HistoryPart, historyOf, oldRowsOf } from './account-tables.ts';
import { cellsOfJson, cellsToJson } from './cells.ts';
import { createRowSum, type RowSum } from './checksum.ts';
import { CopyError } from './copy-installation.ts';
import { copyTable, countOf, sumOf } from './copy-table.ts';
import { removeRows } from './leave.ts';
import { changeMove } from './move-rows.ts';
import type { AccountMoving } from './moving.ts';
import { createReadable } from './reseal.ts';
import type { Cell, Row } from './shape.ts';
import { tableOf, type Writing } from './side.ts';

/** How far it is; null = nothing of it is there. */
export type HistoryNote = {
  /** The part that is under way and its last key; null = all of them are there. */
  readonly at: { readonly part: string; readonly after: readonly unknown[] | null } | null;
  /** What was read, by part. */
  readonly sums: Readonly<Record<string, { readonly rows: number; readonly lanes: readonly number[] }>>;
} | null;

/** Between two signs in the target that a command is at it, ms. */
const holdEveryMs = 5000;

/** Rows of a transaction: the service beside waits no longer than for one of its own. */
export const rowsBeside = 300;

/** Copies what is missing of it; `write` makes the note's text. */
export async function copyHistory(
  moving: AccountMoving,
  note: HistoryNote,
  write: (note: HistoryNote) => string,
): Promise<HistoryNote> {
  const { from, to, leaving, listener } = moving;
  const parts = historyOf(from, moving.bounds);
  if (note !== null && note.at === null) return note;
  let latest: NonNullable<HistoryNote> = note ?? { at: null, sums: {} };
  const save = async (writing: Writing, next: NonNullable<HistoryNote>): Promise<void> => {
    const change = { was: 'arriving', state: 'arriving', note: write(next) };
    await changeMove(writing, leaving.accountId, leaving.moveId, change, moving.nowThere());
    latest = next;
  };
  const { accountId } = leaving;
  const guard = (writing: Writing): Promise<void> => holdArriving(moving, writing);
  if (note === null)
    await removeRows(
      to,
      [...new Set(parts.map(({ table }) => table.name))].map((name) => tableOf(to, name)),
      { accountId, guard },
    );
  const begun = note?.at ?? null;
  const first = begun === null ? 0 : parts.findIndex(({ name }) => name === begun.part);
  for (const [index, part] of parts.entries()) {
    if (index < first) continue;
    const after = index === first && begun?.after ? cellsOfJson(begun.after) : null;
    const rows = await countOf(from, part.table, oldRowsOf(part, accountId));
    listener.onTable('copy', `${part.name}, before the pause`, rows);
    await copyOld(moving, part, after, { save, latest: () => latest });
    const next = parts[index + 1];
    const at = next === undefined ? null : { part: next.name, after: null };
    await to.write((writing) => save(writing, { ...latest, at }));
  }
  return latest;
}

/** Throws CopyError when the target's row is no longer this command's: part of every transaction there. */
export function holdArriving({ leaving, nowThere }: AccountMoving, writing: Writing): Promise<void> {
  return changeMove(writing, leaving.accountId, leaving.moveId, { was: 'arriving', state: 'arriving' }, nowThere());
}

/** The next command copies the history anew. */
export async function forgetHistory({ to, leaving, nowThere }: AccountMoving): Promise<void> {
  const change = { was: 'arriving', state: 'arriving', note: '' };
  await to.write((writing) => changeMove(writing, leaving.accountId, leaving.moveId, change, nowThere()));
}

interface Standing {
  readonly save: (writing: Writing, next: NonNullable<HistoryNote>) => Promise<void>;
  readonly latest: () => NonNullable<HistoryNote>;
}

async function copyOld(
  { from, to, leaving, listener, turn, order }: AccountMoving,
  part: HistoryPart,
  after: readonly Cell[] | null,
  { save, latest }: Standing,
): Promise<void> {
  const { name, table } = part;
  const slice = oldRowsOf(part, leaving.accountId);
  // Of what has arrived; a transaction that is repeated or undone adds nothing.
  let sum = createRowSum(createReadable(order.fromSeal), after === null ? undefined : latest().sums[name]);
  let batch: Row[] = [];
  const summed = (): RowSum => {
    const next = createRowSum(createReadable(order.fromSeal), { rows: sum.rows, lanes: sum.lanes() });
    for (const row of batch) next.add(row);
    return next;
  };
  await copyTable(from, to, tableOf(to, table.name), {
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
      await save(writing, { at: { part: name, after: cellsToJson(key) }, sums });
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
  const { to, leaving, bounds, listener, order } = moving;
  let heldAt = performance.now();
  const onRows = async (rows: number): Promise<void> => {
    listener.onRows(rows);
    if (performance.now() - heldAt < holdEveryMs) return;
    heldAt = performance.now();
    await to.write((writing) => holdArriving(moving, writing));
  };
  for (const part of historyOf(to, bounds)) {
    const noted = history?.sums[part.name];
    const slice = oldRowsOf(part, leaving.accountId);
    listener.onTable('verify', `${part.name}, before the pause`, noted?.rows ?? 0);
    const found = await sumOf(to, part.table, { slice, readable: createReadable(order.toSeal), onRows });
    if (found.text() === createRowSum((text) => text, noted).text()) continue;
    await forgetHistory(moving);
    throw new CopyError(
      `${part.name} that were copied before the pause are not all in ${to.shown} (${found.rows} of ${noted?.rows ?? 0}): ` +
        'is TOCSIN_RETENTION_DAYS shorter there? Make it as long as in the source for the time of the move, and run the ' +
        'command again',
    );
  }
}
