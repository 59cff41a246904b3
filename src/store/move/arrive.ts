// The side that an account comes to: its rows are copied while it is not active, and then it is, in one transaction.
import { monthStart } from '#domain/account.ts';
import { neverAt } from '#domain/heartbeat.ts';
import { missedMessage } from '../schedule-due.ts';
import { outcomeCodes, reasonCodes } from '../codes.ts';
import { addToCounts, createCounts } from '../counts.ts';
import { parkedFrom, parkedMs } from '../parked.ts';
import { hourOf, isLate } from '#domain/roll-up.ts';
import { inStep } from '../schedule-rounds.ts';
import { someAtATime } from './account-tables.ts';
import { createRowSum } from './checksum.ts';
import { CopyError } from './copy-installation.ts';
import { markHour } from './mark-hours.ts';
import { changeMove } from './move-rows.ts';
import { type Row, type TableShape } from './shape.ts';
import { type Side, tableOf, type Writing } from './side.ts';

/** Rows of a table of the source, as they are written here. */
export interface ArrivingRows {
  readonly table: TableShape;
  readonly rows: readonly Row[];
}

/** What makes an account active. */
export interface Arrival {
  readonly accountId: Uint8Array;
  readonly moveId: Uint8Array;
  /** The account itself, and the tables that the figures of conservation are made of. */
  readonly rows: readonly ArrivingRows[];
  /** Keys that reach the account. */
  readonly keys: readonly Row[];
}

/**
 * Activates the account: what arrives last, the keys, due times as they were, and an outcome for runs whose slot is over.
 * Throws CopyError when the copy is not this command's any more.
 */
export async function activateAccount(side: Side, arrival: Arrival): Promise<void> {
  const { accountId, moveId } = arrival;
  const now = await side.now();
  const runs = arrival.rows.find(({ table }) => table.name === 'runs')?.rows ?? [];
  await side.prepare(tableOf(side, 'results'), runs);
  await side.write(async (writing) => {
    await changeMove(writing, accountId, moveId, { was: 'arriving', state: 'arrived' }, now);
    for (const { table, rows } of arrival.rows) await insertVerified(writing, table, rows, accountId);
    for (const key of arrival.keys) await admitKey(writing, tableOf(side, 'api_keys'), key, accountId);
    await closeLateRuns(side, writing, accountId, now);
    await unpark(writing, accountId, now);
  });
}

async function insertVerified(
  writing: Writing,
  table: TableShape,
  rows: readonly Row[],
  accountId: Uint8Array,
): Promise<void> {
  const { name, columns } = table;
  const owner = name === 'accounts' ? 'id' : 'account_id';
  await writing.change(`DELETE FROM ${name} WHERE ${owner} = ?`, [accountId]);
  await writing.insert(table, rows);
  const there = await writing.query(`SELECT ${columns.join(', ')} FROM ${name} WHERE ${owner} = ?`, [accountId]);
  const [given, found] = [rows, there].map((all) => {
    const sum = createRowSum();
    for (const row of all) sum.add(row);
    return sum.text();
  });
  if (given !== found) throw new CopyError(`${name} did not arrive as it was sent`);
}

/** A key that reaches the account there reaches it here, with the same role but never as an operator; one that is known here reaches it as well. */
async function admitKey(writing: Writing, table: TableShape, key: Row, accountId: Uint8Array): Promise<void> {
  const [known] = await writing.query('SELECT id FROM api_keys WHERE hash = ?', [key['hash'] ?? null]);
  if (known === undefined) await writing.insert(table, [{ ...key, is_operator: null }]);
  const keyId = (known ?? key)['id'] ?? null;
  const [reach] = await writing.query(
    `SELECT count(*) AS accounts, coalesce(max(position), -1) AS last,
       coalesce(sum(CASE WHEN account_id = ? THEN 1 ELSE 0 END), 0) AS here FROM api_key_accounts WHERE api_key_id = ?`,
    [accountId, keyId],
  );
  if (Number(reach?.['here']) > 0) return;
  await writing.change('INSERT INTO api_key_accounts (api_key_id, account_id, position) VALUES (?, ?, ?)', [
    keyId,
    accountId,
    Number(reach?.['last']) + 1,
  ]);
}

/** Runs that were planned and can no longer start in their slot: they were lost to the move, and are recorded so. */
async function closeLateRuns(side: Side, writing: Writing, accountId: Uint8Array, now: number): Promise<void> {
  const late = await writing.query(
    `SELECT * FROM runs WHERE account_id = ? AND attempt = 1 AND first_started_at IS NULL AND slot_at + interval_ms <= ?`,
    [accountId, now],
  );
  if (late.length === 0) return;
  const counts = createCounts();
  for (const some of someAtATime(late)) {
    const places = some.map(() => '?').join(', ');
    const ids = some.map((run) => run['id'] ?? null);
    await writing.change(`DELETE FROM runs WHERE account_id = ? AND id IN (${places})`, [accountId, ...ids]);
    counts.add(accountId, 'missed', some.length);
  }
  for (const [month, runs] of Map.groupBy(late, (run) => monthStart(Number(run['slot_at'])))) {
    const { length } = runs;
    await writing.change(
      `UPDATE usage SET used = CASE WHEN used > ${length} THEN used - ${length} ELSE 0 END
       WHERE account_id = ? AND month = ?`,
      [accountId, month],
    );
  }
  const results = tableOf(side, 'results');
  const missed = late.map((run) => missedRow(results, run, now));
  await writing.insert(results, missed);
  const overdue = late.filter((run) => isLate(Number(run['slot_at']), now));
  for (const [hourAt, runs] of Map.groupBy(overdue, (run) => hourOf(Number(run['slot_at'])))) {
    const checkIds = runs.map((run) => run['check_id'] as Uint8Array);
    for (const some of someAtATime(checkIds)) await markHour(writing, accountId, some, hourAt);
  }
  for (const row of counts.rows(now)) {
    const columns = Object.keys(row);
    await writing.change(
      `INSERT INTO run_counts (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ${addToCounts}`,
      Object.values(row),
    );
  }
}

function missedRow({ columns }: TableShape, run: Row, now: number): Row {
  const values: Row = {
    account_id: run['account_id'] ?? null,
    check_id: run['check_id'] ?? null,
    id: run['id'] ?? null,
    attempt: 1,
    outcome: outcomeCodes.encode('missed'),
    reason: reasonCodes.encode('moving'),
    message: missedMessage('moving'),
    location: run['location'] ?? null,
    source: run['source'] ?? null,
    slots: 1,
    started_at: now,
    duration_ms: 0,
    loop_delay_ms: 0,
    interval_ms: run['interval_ms'] ?? null,
  };
  return Object.fromEntries(columns.map((column) => [column, values[column] ?? null]));
}

async function unpark(writing: Writing, accountId: Uint8Array, now: number): Promise<void> {
  await writing.change(
    `UPDATE schedules SET next_due_at = next_due_at - ?, moved_at = ?
     WHERE account_id = ? AND next_due_at >= ? AND next_due_at < ${inStep}`,
    [parkedMs, now, accountId, parkedFrom],
  );
  // Pings were turned away meanwhile: every period begins anew.
  await writing.change(
    `UPDATE heartbeats SET due_at = due_at - ?, timer_at = CASE WHEN timer_at IS NULL THEN NULL ELSE ${now} END
     WHERE account_id = ? AND due_at >= ? AND due_at < ${neverAt}`,
    [parkedMs, accountId, parkedFrom],
  );
  await writing.change('UPDATE runs SET available_at = available_at - ? WHERE account_id = ? AND available_at >= ?', [
    parkedMs,
    accountId,
    parkedFrom,
  ]);
  await writing.change(
    'UPDATE deliveries SET next_attempt_at = next_attempt_at - ? WHERE account_id = ? AND next_attempt_at >= ?',
    [parkedMs, accountId, parkedFrom],
  );
}
