// Rows that recording reads and writes, in SQLite; the decisions are made in record-attempts.ts.
import type { EndedAttempt, Recorded } from '#domain/results/recording.ts';
import { type IdBytes, idBytes, latin1 } from '../../base/codec.ts';
import { createCounts } from '../../base/counts.ts';
import {
  deliveriesAtOnce,
  recordAttempt,
  type RecordRows,
  type RecordRules,
  TooManyDeliveriesError,
} from './record-attempts.ts';
import type {
  AlertsTable,
  CheckStatesTable,
  ExchangesTable,
  PassingExchangesTable,
  ResultsTable,
} from '../../base/tables/schema.ts';
import type { FirstRunsTable } from '../../base/tables/schedule-tables.ts';
import { insertAlerts, tellRowsOf } from './sqlite-alerts.ts';
import { readState, writeStates } from './sqlite-check-states.ts';
import type { Connection, Values } from '../../engines/sqlite/connection.ts';
import { countUsage, writeCounts } from '../../engines/sqlite/counts.ts';
import { noteLate } from '../../history/sqlite-late-hours.ts';
import { rowsStatement, writeRows } from '../../engines/sqlite/many-rows.ts';

/**
 * Records each attempt whose run this owner still holds; the others are dropped: someone else does their work. Stops after
 * the attempt that reaches `deliveriesAtOnce`.
 */
export function recordAttempts(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  rules: RecordRules,
): Recorded[] {
  return recordWith(
    connection,
    attempts,
    { ...rules, deliveriesMost: deliveriesAtOnce },
    {
      letGo: (attempt) => letGo(connection, attempt, rules.owner),
    },
  );
}

/** What is read at once of checks whose attempts are recorded together. */
interface HeldRows {
  /** Their states, as far as there are any. */
  readonly states: readonly CheckStatesTable[];
  /** Ids of those that a channel is subscribed to or was told of; asked once there is something to tell. Groups are asked apart. */
  readonly heard: () => ReadonlySet<string>;
}

/**
 * Records attempts without a queued run: what they are of is held by the transaction itself.
 *
 * What is read at once must be of this transaction.
 *
 * @throws {TooManyDeliveriesError} where it can be divided
 */
export function recordHeld(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  { states, heard }: HeldRows,
  { isDivisible, ...rules }: RecordRules & { readonly isDivisible: boolean },
): Recorded[] {
  if (attempts.length === 0) return [];
  const deliveriesMost = isDivisible ? deliveriesAtOnce : Infinity;
  const known = new Map(states.map((row) => [keyOf(row.account_id, row.check_id), row]));
  const moved = new Map<string, CheckStatesTable>();
  const results: ResultsTable[] = [];
  const alerts: AlertsTable[] = [];
  const tellRows = tellRowsOf(connection);
  let heardNow: ReadonlySet<string> | null = null;
  const recorded = recordWith(
    connection,
    attempts,
    { ...rules, deliveriesMost },
    {
      letGo: () => true,
      listeners(attempt) {
        heardNow ??= heard();
        const { groupId, id } = attempt.context.check;
        return groupId !== null || heardNow.has(id) ? tellRows.listeners(attempt) : [];
      },
      insertResult: (row) => void results.push(row),
      state: (...key) => moved.get(keyOf(...key)) ?? known.get(keyOf(...key)),
      writeState: (row) => void moved.set(keyOf(row.account_id, row.check_id), row),
      insertAlert: (row) => void alerts.push(row),
    },
  );
  if (recorded.length < attempts.length) throw new TooManyDeliveriesError(recorded.length);
  writeRows(connection, added, results, valuesOf);
  writeStates(connection, [...moved.values()]);
  insertAlerts(connection, alerts);
  return recorded;
}

function keyOf(accountId: IdBytes, checkId: IdBytes): string {
  return latin1(accountId) + latin1(checkId);
}

function recordWith(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  { deliveriesMost = Infinity, ...rules }: RecordRules & { readonly deliveriesMost?: number },
  own: Pick<RecordRows, 'letGo'> & Partial<RecordRows>,
): Recorded[] {
  const counts = createCounts();
  const rows: RecordRows = {
    ...tellRowsOf(connection),
    insertResult: (row) => void insertResult(connection, row),
    noteLate: (...hour) => noteLate(connection, ...hour),
    locationOf: (...key) => readLocation(connection, key),
    state: (accountId, checkId) => readState(connection, accountId, checkId),
    writeState: (row) => writeStates(connection, [row]),
    insertExchange: (row) => insertExchange(connection, row),
    keepPassing: (row) => keepPassing(connection, row),
    runAgain: (row) => runAgain(connection, row),
    giveBack: (accountId, at) => countUsage(connection, accountId, at, -1),
    ...own,
  };
  const recorded: Recorded[] = [];
  let deliveries = 0;
  for (const attempt of attempts) {
    const one = recordAttempt(rows, attempt, rules, counts);
    recorded.push(one);
    deliveries += one.deliveries;
    if (deliveries >= deliveriesMost) break;
  }
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

function runAgain(connection: Connection, { account_id, check_id, due_at }: FirstRunsTable): void {
  connection
    .prepare('INSERT INTO first_runs (account_id, check_id, due_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    .run(account_id, check_id, due_at);
}

function readLocation(connection: Connection, key: readonly [IdBytes, IdBytes, IdBytes]): string | undefined {
  const sql = 'SELECT location FROM results WHERE account_id = ? AND check_id = ? AND id = ?';
  const row = connection.prepare(sql).get(...key);
  return row === undefined ? undefined : String(row['location']);
}

const added = rowsStatement(
  17,
  (rows) =>
    `INSERT INTO results (account_id, check_id, id, run_id, attempt, outcome, reason, message, location, source, slots,
       started_at, duration_ms, response_us, loop_delay_ms, details, interval_ms)
     VALUES ${rows} ON CONFLICT DO NOTHING`,
);

/** Adds a result; false when one with its id is there already. */
export function insertResult(connection: Connection, row: ResultsTable): boolean {
  const { changes } = connection.prepare(added.one).run(...valuesOf(row));
  return Number(changes) === 1;
}

function valuesOf(row: ResultsTable): Values {
  return [
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
  ];
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
