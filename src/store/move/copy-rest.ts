// Everything of a paused account but its history: copied anew by each command, and compared.
import { ageColumnOf, hasHistory, historyOf, newRowsOf, restOf } from './account-tables.ts';
import { createRowSum, type RowSum } from './checksum.ts';
import { CopyError } from './copy-installation.ts';
import { batchesOf, copyTable } from './copy-table.ts';
import { countOld, type HistoryNote, holdArriving, rowsBeside } from './copy-history.ts';
import { removeRows, renewPause } from './leave.ts';
import { changeMove } from './move-rows.ts';
import type { AccountMoving } from './moving.ts';
import { createReadable } from './reseal.ts';
import type { Slice, TableShape } from './shape.ts';
import { type Side, tableOf, type Writing } from './side.ts';

/** What the source's upkeep may still write while the account is paused: made from results, which are compared. */
const upkeepTables: ReadonlySet<string> = new Set(['roll_ups', 'missed_stretches']);

/** Between two renewals of the pause, ms: it lapses after a minute. */
const renewEveryMs = 5000;

/** Copies and compares. Throws CopyError. */
export async function copyRest(moving: AccountMoving, history: HistoryNote): Promise<void> {
  const { from, to, leaving, listener, bound, order } = moving;
  await requireWholeHistory(moving, history);
  const keepPaused = createRenewal(moving);
  const checkIds = await checksOf(moving);
  if (moving.isAgain) await removeEarlier(moving, checkIds);
  for (const table of restOf(from)) {
    const slices = newRowsOf(table, leaving.accountId, bound, checkIds);
    listener.onTable('copy', table.name, 0);
    const now = await to.now();
    for (const slice of slices) {
      await keepPaused();
      await copyTable(from, to, tableOf(to, table.name), {
        slice,
        after: null,
        most: rowsBeside,
        turn: moving.turn,
        note: (writing) => holdArriving(moving, writing, now),
        onRows: (rows) => listener.onRows(rows),
      });
    }
  }
  for (const table of restOf(from)) {
    const slices = newRowsOf(table, leaving.accountId, bound, checkIds);
    const there = await sumOfSlices(from, table, slices, createReadable(order.fromSeal), keepPaused);
    const here = await sumOfSlices(to, tableOf(to, table.name), slices, createReadable(order.toSeal), keepPaused);
    // Upkeep goes on meanwhile: what it made anew is made anew in the target as well.
    if (there.text() === here.text() || upkeepTables.has(table.name)) continue;
    throw new CopyError(
      `${table.name} of the account is not the same on both sides (${there.rows} and ${here.rows} rows): run the command again`,
    );
  }
}

function createRenewal({ from, leaving }: AccountMoving): () => Promise<void> {
  let renewedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - renewedAt < renewEveryMs) return;
    await renewPause(from, leaving);
    renewedAt = performance.now();
  };
}

async function checksOf({ from, leaving }: AccountMoving): Promise<Uint8Array[]> {
  const rows = await from.write((writing) =>
    writing.query('SELECT id FROM checks WHERE account_id = ? ORDER BY id', [leaving.accountId]),
  );
  return rows.map((row) => row['id'] as Uint8Array);
}

/** What a command before this one has copied, and what stayed when the account left the target once. */
async function removeEarlier(moving: AccountMoving, checkIds: readonly Uint8Array[]): Promise<void> {
  const { to, leaving, bound } = moving;
  const { accountId } = leaving;
  const now = await to.now();
  const guard = (writing: Writing): Promise<void> => holdArriving(moving, writing, now);
  await removeRows(
    to,
    restOf(to).filter((table) => !hasHistory(table)),
    { accountId, guard },
  );
  for (const table of historyOf(to)) {
    const sql = `DELETE FROM ${table.name} WHERE account_id = ? AND check_id = ? AND ${ageColumnOf(table)} >= ?`;
    for (const checkId of checkIds) {
      await to.write(async (writing) => {
        await guard(writing);
        await writing.change(sql, [accountId, checkId, bound]);
      });
    }
  }
}

async function sumOfSlices(
  side: Side,
  table: TableShape,
  slices: readonly Slice[],
  readable: (text: string) => string,
  keepPaused: () => Promise<void>,
): Promise<RowSum> {
  const sum = createRowSum(readable);
  for (const slice of slices) {
    await keepPaused();
    for await (const rows of batchesOf(side, table, slice)) for (const row of rows) sum.add(row);
  }
  return sum;
}

/** Rows may have gone since they were copied, for they grew old; none may have come. */
async function requireWholeHistory({ from, to, leaving, bound }: AccountMoving, history: HistoryNote): Promise<void> {
  for (const table of historyOf(from)) {
    const rows = await countOld(from, table, leaving.accountId, bound);
    if (rows <= (history?.sums[table.name]?.rows ?? 0)) continue;
    const now = await to.now();
    // An empty note: the next command copies the history anew.
    const change = { was: 'arriving', state: 'arriving', note: '' };
    await to.write((writing) => changeMove(writing, leaving.accountId, leaving.moveId, change, now));
    throw new CopyError(`${table.name} of days that are over were still being written: run the command again`);
  }
}
