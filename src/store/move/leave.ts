// The side that an account leaves: it is paused, handed over, and its rows go.
import { parkedFrom, parkedMs } from '../parked.ts';
import { countedTables, ownTables } from './account-tables.ts';
import { CopyError } from './copy-installation.ts';
import { heavyBatch, heavyTables } from './copy-table.ts';
import { beginMove, changeMove, knownMove } from './move-rows.ts';
import type { Leaving } from './moving.ts';
import { type Cell, conditionsOf, type Slice, type TableShape } from './shape.ts';
import { type Side, tableOf, type Writing } from './side.ts';
import { dueAtStatement, inStep } from '../schedule-rounds.ts';
import type { ScheduleRoundsTable } from '../schedule-tables.ts';

/** Nothing new of the account is taken up from now on; what is under way may end. @param note about the command */
export async function pauseAccount(side: Side, { accountId, moveId }: Leaving, note: string): Promise<void> {
  const now = await side.now();
  await side.write(async (writing) => {
    await beginMove(writing, accountId, moveId, { state: 'leaving', note }, now);
    await park(writing, accountId);
  });
}

/** Keeps the pause, parks what came meanwhile, and answers how many runs and deliveries are still under way. */
export async function renewPause(side: Side, { accountId, moveId }: Leaving): Promise<number> {
  const now = await side.now();
  return side.write(async (writing) => {
    await changeMove(writing, accountId, moveId, { was: 'leaving', state: 'leaving' }, now);
    await park(writing, accountId);
    const [row] = await writing.query(
      `SELECT (SELECT count(*) FROM runs WHERE account_id = ? AND leased_by IS NOT NULL AND available_at > ?)
         + (SELECT count(*) FROM deliveries WHERE account_id = ? AND status = 0 AND leased_by IS NOT NULL
              AND next_attempt_at > ?) AS held`,
      [accountId, now, accountId, now],
    );
    return Number(row?.['held'] ?? 0);
  });
}

/** Takes what is still held from whoever holds it: nothing of the account changes here any more. */
export async function freezeAccount(side: Side, { accountId, moveId }: Leaving): Promise<void> {
  const now = await side.now();
  await side.write(async (writing) => {
    await changeMove(writing, accountId, moveId, { was: 'leaving', state: 'leaving' }, now);
    await writing.change(
      'UPDATE runs SET leased_by = NULL, available_at = due_at WHERE account_id = ? AND leased_by IS NOT NULL',
      [accountId],
    );
    await writing.change(
      // What was cut off goes before what was made after it (docs/decisions/0070).
      `UPDATE deliveries SET leased_by = NULL, next_attempt_at = CASE WHEN created_at < ? THEN created_at ELSE ? END
       WHERE account_id = ? AND status = 0 AND leased_by IS NOT NULL`,
      [now, now, accountId],
    );
    await park(writing, accountId);
  });
}

/** From here on the account does not go on here by itself. */
export async function handOver(side: Side, { accountId, moveId }: Leaving): Promise<void> {
  const now = await side.now();
  await side.write((writing) => changeMove(writing, accountId, moveId, { was: 'leaving', state: 'handing' }, now));
}

/** Another command was cut off after the hand-over: this one goes on with it. */
export async function takeOverHanding(side: Side, { accountId, moveId }: Leaving): Promise<void> {
  const now = await side.now();
  await side.write(async (writing) => {
    const known = await knownMove(writing, accountId);
    await changeMove(writing, accountId, known?.moveId ?? moveId, { was: 'handing', state: 'handing' }, now);
    await writing.change('UPDATE account_moves SET move_id = ? WHERE account_id = ?', [moveId, accountId]);
  });
}

/** The account lives at `place` now; with it go the rows that the figures of conservation are made of. */
export async function markLeft(side: Side, { accountId, moveId }: Leaving, place: string): Promise<void> {
  const now = await side.now();
  await side.write(async (writing) => {
    await changeMove(writing, accountId, moveId, { was: 'handing', state: 'left', place }, now);
    for (const table of countedTables) await writing.change(`DELETE FROM ${table} WHERE account_id = ?`, [accountId]);
    await writing.change('DELETE FROM accounts WHERE id = ?', [accountId]);
  });
}

/** What stays, so that a call that comes here is shown the way: tokens of triggers and heartbeats, and which keys reach the account. */
const staying: ReadonlySet<string> = new Set(['triggers', 'heartbeats']);

/** Removes the rows of an account that has left, some at a time. Throws CopyError when it is back meanwhile. */
export async function removeLeft(side: Side, accountId: Uint8Array, onRows: (rows: number) => void): Promise<void> {
  const guard = async (writing: Writing): Promise<void> => {
    const known = await knownMove(writing, accountId);
    if (known?.state !== 'left') throw new CopyError('the account is back: what it left behind is its own again');
  };
  const tables = ownTables(side).filter(({ name }) => !staying.has(name));
  await removeRows(side, tables, { accountId, guard, onRows });
}

/** Rows that go in one transaction: the service beside waits no longer than for one of its own. */
const rowsAtOnce = 300;

/** How many light rows one of a table is as much work as. */
function weightOf({ name }: TableShape): number {
  return heavyTables.has(name) ? Math.ceil(rowsAtOnce / heavyBatch) : 1;
}

/** Which rows of a table go. */
export interface Removal {
  readonly accountId: Uint8Array;
  /** Part of each transaction: throws when they may not go any more. */
  readonly guard: (writing: Writing) => Promise<void>;
  readonly onRows?: (rows: number) => void;
}

/** Removes the account's rows of some tables. */
export async function removeRows(side: Side, tables: readonly TableShape[], removal: Removal): Promise<void> {
  const { accountId, guard, onRows = () => {} } = removal;
  for (let first = 0; first < tables.length;) {
    const begun = first;
    const done = await side.write(async (writing) => {
      await guard(writing);
      let room = rowsAtOnce;
      let removed = 0;
      let index = begun;
      for (; index < tables.length && room > 0; index++) {
        const table = tables[index];
        if (table === undefined) break;
        const weight = weightOf(table);
        const gone = await writing.change(removalOf(table, Math.ceil(room / weight)), [accountId, accountId]);
        removed += gone;
        room -= gone * weight;
        // A table that filled the room may have more.
        if (room <= 0) break;
      }
      return { index, removed };
    });
    first = done.index;
    onRows(done.removed);
  }
}

/** Removes the account's rows of a slice. */
export async function removeSlice(
  side: Side,
  table: TableShape,
  slice: Slice,
  { accountId, guard }: Pick<Removal, 'accountId' | 'guard'>,
): Promise<void> {
  const values: Cell[] = [accountId];
  const conditions = conditionsOf(slice, (value) => {
    values.push(value);
    return '?';
  });
  const most = Math.floor(rowsAtOnce / weightOf(table));
  const sql = removalOf(table, most, conditions.join(' AND '));
  for (let removed = most; removed === most;) {
    removed = await side.write(async (writing) => {
      await guard(writing);
      return writing.change(sql, values);
    });
  }
}

function removalOf({ name, key }: TableShape, most: number, conditions = 'account_id = ?'): string {
  const list = key.length === 1 ? key.join() : `(${key.join(', ')})`;
  return `DELETE FROM ${name} WHERE account_id = ? AND ${list} IN (
    SELECT ${key.join(', ')} FROM ${name} WHERE ${conditions} LIMIT ${most})`;
}

/** What somebody holds is left to him. */
async function park(writing: Writing, accountId: Uint8Array): Promise<void> {
  await takeOutOfStep(writing, accountId);
  await writing.change('UPDATE schedules SET next_due_at = next_due_at + ? WHERE account_id = ? AND next_due_at < ?', [
    parkedMs,
    accountId,
    parkedFrom,
  ]);
  await writing.change('UPDATE heartbeats SET due_at = due_at + ? WHERE account_id = ? AND due_at < ?', [
    parkedMs,
    accountId,
    parkedFrom,
  ]);
  await writing.change(
    `UPDATE runs SET available_at = available_at + ? WHERE account_id = ? AND available_at < ? AND leased_by IS NULL`,
    [parkedMs, accountId, parkedFrom],
  );
  await writing.change(
    `UPDATE deliveries SET next_attempt_at = next_attempt_at + ?
     WHERE account_id = ? AND status = 0 AND next_attempt_at < ? AND leased_by IS NULL`,
    [parkedMs, accountId, parkedFrom],
  );
}

/** Schedules in step get a time of their own: that of their oldest slot that is not planned. */
async function takeOutOfStep(writing: Writing, accountId: Uint8Array): Promise<void> {
  // Held, so that nobody plans them meanwhile.
  await writing.change('UPDATE schedule_rounds SET planned_to = planned_to', []);
  const rounds = (await writing.query('SELECT * FROM schedule_rounds', [])) as unknown as ScheduleRoundsTable[];
  for (const round of rounds) {
    const { sql, values } = dueAtStatement(round);
    await writing.change(
      `UPDATE schedules SET next_due_at = ${sql} WHERE account_id = ? AND interval_ms = ? AND next_due_at = ${inStep}`,
      [...values, accountId, round.interval_ms],
    );
  }
}

/** The account's rows of a table, all at once: for tables that hold few. */
export async function fewRowsOf(side: Side, name: string, accountId: Uint8Array) {
  const table = tableOf(side, name);
  const sql = `SELECT ${table.columns.join(', ')} FROM ${name} WHERE account_id = ? ORDER BY ${table.key.join(', ')}`;
  return { table, rows: await side.query(sql, [accountId]) };
}
