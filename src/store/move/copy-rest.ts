// Everything of a paused account but its history: copied anew by each command, and compared.
import { historyOf, lastOldRowsOf, newRowsOf, restOf, someAtATime } from './account-tables.ts';
import { createRowSum, type RowSum } from './checksum.ts';
import { CopyError } from './copy-installation.ts';
import { batchesOfSlices, copySlices, countOf } from './copy-table.ts';
import { forgetHistory, holdArriving, rowsBeside } from './copy-history.ts';
import { removeRows, removeSlice, renewPause } from './leave.ts';
import { markHours } from './mark-hours.ts';
import type { AccountMoving } from './moving.ts';
import { createReadable } from './reseal.ts';
import type { Slice, TableShape } from './shape.ts';
import { type Side, tableOf, type Writing } from './side.ts';

/** What the source's upkeep may still write while the account is paused: made from results, which are compared. */
const upkeepTables: ReadonlySet<string> = new Set(['roll_ups', 'missed_stretches']);

/** Between two renewals of the pause, ms: it lapses after a minute. */
const renewEveryMs = 5000;

/** Copies and compares. Throws CopyError. */
export async function copyRest(moving: AccountMoving): Promise<void> {
  const { from, to, leaving, listener, order } = moving;
  const before = createRenewal(moving);
  const checkIds = await checksOf(moving);
  await requireWholeHistory(moving, checkIds, before);
  if (moving.isAgain) await removeEarlier(moving, checkIds);
  const history = historyOf(from, moving.bounds);
  const sums = new Map<string, RowSum>();
  for (const table of restOf(from)) {
    listener.onTable('copy', table.name, 0);
    // What is read is what there is: nothing of a paused account changes.
    const sum = createRowSum(createReadable(order.fromSeal));
    sums.set(table.name, sum);
    await copySlices(from, to, tableOf(to, table.name), newRowsOf(table, leaving.accountId, history, checkIds), {
      most: rowsBeside,
      turn: (row) => {
        sum.add(row);
        return moving.turn(row);
      },
      note: (writing) => holdArriving(moving, writing),
      before,
      onRows: (rows) => listener.onRows(rows),
    });
  }
  await markHours(moving, checkIds);
  for (const table of restOf(from)) {
    // Upkeep goes on meanwhile: what it made anew is made anew in the target as well.
    if (upkeepTables.has(table.name)) continue;
    const there = sums.get(table.name);
    listener.onTable('verify', table.name, there?.rows ?? 0);
    const here = await sumOfSlices(
      to,
      tableOf(to, table.name),
      newRowsOf(table, leaving.accountId, history, checkIds),
      {
        readable: createReadable(order.toSeal),
        before,
        onRows: (rows) => listener.onRows(rows),
      },
    );
    if (there?.text() === here.text()) continue;
    throw new CopyError(
      `${table.name} of the account is not the same on both sides (${there?.rows} and ${here.rows} rows): run the command again`,
    );
  }
}

function createRenewal(moving: AccountMoving): () => Promise<void> {
  const { from, to, leaving } = moving;
  let renewedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - renewedAt < renewEveryMs) return;
    await renewPause(from, leaving);
    await to.write((writing) => holdArriving(moving, writing));
    renewedAt = performance.now();
  };
}

async function checksOf({ from, leaving }: AccountMoving): Promise<Uint8Array[]> {
  const rows = await from.query('SELECT id FROM checks WHERE account_id = ? ORDER BY id', [leaving.accountId]);
  return rows.map((row) => row['id'] as Uint8Array);
}

/** What a command before this one has copied, and what stayed when the account left the target once. */
async function removeEarlier(moving: AccountMoving, checkIds: readonly Uint8Array[]): Promise<void> {
  const { to, leaving, bounds } = moving;
  const { accountId } = leaving;
  const guard = (writing: Writing): Promise<void> => holdArriving(moving, writing);
  const history = historyOf(to, bounds);
  const isHistory = ({ name }: TableShape): boolean => history.some(({ table }) => table.name === name);
  await removeRows(
    to,
    restOf(to).filter((table) => !isHistory(table)),
    { accountId, guard },
  );
  for (const { table } of new Map(history.map((part) => [part.table.name, part])).values()) {
    for (const slice of newRowsOf(table, accountId, history, checkIds)) {
      await removeSlice(to, table, slice, { accountId, guard });
    }
  }
}

async function sumOfSlices(
  side: Side,
  table: TableShape,
  slices: readonly Slice[],
  {
    readable,
    before,
    onRows,
  }: {
    readable: (text: string) => string;
    before: () => Promise<void>;
    onRows: (rows: number) => void;
  },
): Promise<RowSum> {
  const sum = createRowSum(readable);
  for await (const rows of batchesOfSlices(side, table, slices, before)) {
    for (const row of rows) sum.add(row);
    onRows(rows.length);
  }
  return sum;
}

/** Rows may have gone since they were copied, for they grew old; none may have come. */
async function requireWholeHistory(
  moving: AccountMoving,
  checkIds: readonly Uint8Array[],
  before: () => Promise<void>,
): Promise<void> {
  const { from, to, leaving, bounds } = moving;
  for (const part of historyOf(from, bounds)) {
    if (upkeepTables.has(part.table.name)) continue;
    for (const some of someAtATime(checkIds)) {
      await before();
      const slice = lastOldRowsOf(part, leaving.accountId, bounds, some);
      if ((await countOf(from, part.table, slice)) <= (await countOf(to, part.table, slice))) continue;
      await forgetHistory(moving);
      throw new CopyError(`${part.table.name} of days that are over were still being written: run the command again`);
    }
  }
}
