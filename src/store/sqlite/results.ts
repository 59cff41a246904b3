// Rows that recording reads and writes, in SQLite; the decisions are made in record-attempts.ts.
import type { EndedAttempt, Recorded } from '#domain/recording.ts';
import { type IdBytes, idBytes, latin1 } from '../codec.ts';
import { createCounts } from '../counts.ts';
import { recordAttempt, type RecordRows, type RecordRules } from '../record-attempts.ts';
import type { CheckStatesTable, ExchangesTable, PassingExchangesTable, ResultsTable } from '../schema.ts';
import { tellRowsOf } from './alerts.ts';
import { readState, writeState } from './check-states.ts';
import type { Connection } from './connection.ts';
import { countUsage, writeCounts } from './counts.ts';
import { noteLate } from './late-hours.ts';

/** Records each attempt whose run this owner still holds; the others are dropped: someone else does their work. */
export function recordAttempts(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  rules: RecordRules,
): Recorded[] {
  return recordWith(connection, attempts, rules, {
    letGo: (attempt) => letGo(connection, attempt, rules.owner),
  });
}

/**
 * Records attempts without a queued run: what they are of is held by the transaction itself.
 *
 * @param states of their checks, as far as there are any, read in this transaction
 */
export function recordHeld(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  states: readonly CheckStatesTable[],
  rules: RecordRules,
): Recorded[] {
  if (attempts.length === 0) return [];
  const keyOf = (accountId: IdBytes, checkId: IdBytes): string => latin1(accountId) + latin1(checkId);
  const known = new Map(states.map((row) => [keyOf(row.account_id, row.check_id), row]));
  return recordWith(connection, attempts, rules, {
    letGo: () => true,
    state: (...key) => known.get(keyOf(...key)),
    writeState: (row) => {
      known.set(keyOf(row.account_id, row.check_id), row);
      writeState(connection, row);
    },
  });
}

function recordWith(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  rules: RecordRules,
  own: Pick<RecordRows, 'letGo'> & Partial<RecordRows>,
): Recorded[] {
  const counts = createCounts();
  const rows: RecordRows = {
    ...tellRowsOf(connection),
    insertResult: (row) => void insertResult(connection, row),
    noteLate: (...hour) => noteLate(connection, ...hour),
    locationOf: (...key) => readLocation(connection, key),
    state: (accountId, checkId) => readState(connection, accountId, checkId),
    writeState: (row) => writeState(connection, row),
    insertExchange: (row) => insertExchange(connection, row),
    keepPassing: (row) => keepPassing(connection, row),
    giveBack: (accountId, at) => countUsage(connection, accountId, at, -1),
    ...own,
  };
  const recorded = attempts.map((attempt) => recordAttempt(rows, attempt, rules, counts));
  writeCounts(connection, counts, rules.now);
  return recorded;
}

function letGo(connection: Connection, { run, retry }: EndedAttempt, owner: string): boolean {
  const [accountId, runId] = [idBytes(run.accountId), idBytes(run.id)];
  const held =
    retry === null
      ? connection
          .prepare('DELETE FROM runs WHERE account_id = ? AND id = ? AND leased_by = ? AND attempt = ?')
          .run(accountId, runId, owner, run.attempt)
      : connection
          .prepare(
            `UPDATE runs SET attempt = attempt + 1, location = ?, due_at = ?, available_at = ?, leased_by = NULL
             WHERE account_id = ? AND id = ? AND leased_by = ? AND attempt = ?`,
          )
          .run(retry.location, retry.at, retry.at, accountId, runId, owner, run.attempt);
  return Number(held.changes) === 1;
}

function readLocation(connection: Connection, key: readonly [IdBytes, IdBytes, IdBytes]): string | undefined {
  const sql = 'SELECT location FROM results WHERE account_id = ? AND check_id = ? AND id = ?';
  const row = connection.prepare(sql).get(...key);
  return row === undefined ? undefined : String(row['location']);
}

/** Adds a result; false when one with its id is there already. */
export function insertResult(connection: Connection, row: ResultsTable): boolean {
  const { changes } = connection
    .prepare(
      `INSERT INTO results (account_id, check_id, id, run_id, attempt, outcome, reason, message, location, source, slots,
         started_at, duration_ms, response_us, loop_delay_ms, details, interval_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    .run(
      row.account_id,
      row.check_id,
      row.id,
      row.run_id,
      row.attempt,
      row.outcome,
      row.reason,
      row.message,
      row.location,
      row.source,
      row.slots,
      row.started_at,
      row.duration_ms,
      row.response_us,
      row.loop_delay_ms,
      row.details,
      row.interval_ms,
    );
  return Number(changes) === 1;
}

function keepPassing(connection: Connection, row: PassingExchangesTable): void {
  connection
    .prepare(
      `INSERT INTO passing_exchanges (account_id, check_id, location, result_id, exchange) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (account_id, check_id, location)
       DO UPDATE SET result_id = excluded.result_id, exchange = excluded.exchange`,
    )
    .run(row.account_id, row.check_id, row.location, row.result_id, row.exchange);
}

function insertExchange(connection: Connection, row: ExchangesTable): void {
  connection
    .prepare(
      `INSERT INTO exchanges (account_id, check_id, result_id, exchange) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    .run(row.account_id, row.check_id, row.result_id, row.exchange);
}
