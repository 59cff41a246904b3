// Rows that recording reads and writes in SQLite; the decisions are in record-attempts.ts.
import type { EndedAttempt, Recorded } from '#domain/results/recording.ts';
import { type IdBytes, idBytes, latin1 } from '../../base/codec.ts';
import { type Counts, createCounts } from '../../base/counts.ts';
import {
  deliveriesAtOnce,
  recordAttempt,
  type RecordRows,
  type RecordRules,
  TooManyDeliveriesError,
} from './record-attempts.ts';
import type { AlertsTable, CheckStatesTable, ResultsTable } from '../../base/tables/schema.ts';
import { notifyRowsOf } from './sqlite-alerts.ts';
import { incidentRowsOf } from './sqlite-incidents.ts';
import { readState, writeStates } from './sqlite-check-states.ts';
import { suppressionRowsOf } from './sqlite-suppression.ts';
import type { Contexts } from '../../checks/sqlite-contexts.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { countUsage, writeCounts } from '../../engines/sqlite/counts.ts';
import { noteLate } from '../../roll-ups/sqlite-late-hours.ts';
import { insertRow, insertRows } from '../../engines/sqlite/many-rows.ts';
import { rowEndings } from './row-endings.ts';

/**
 * Records each attempt whose run this owner has leased; drops the others, which another process repeats. Stops after
 * the attempt that reaches `deliveriesAtOnce`.
 */
export function recordAttempts(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  rules: RecordRules,
  contexts: Pick<Contexts, 'read'>,
): Recorded[] {
  return recordWith(
    connection,
    attempts,
    { ...rules, maxDeliveries: deliveriesAtOnce, contexts, counts: createCounts() },
    {
      release: (attempt) => release(connection, attempt, rules.owner),
    },
  );
}

/** Data read at once for checks whose attempts are recorded together. */
interface HeldRows {
  /** Their states, as far as they exist. */
  readonly states: readonly CheckStatesTable[];
  /**
   * IDs of those with a subscribed or notified channel; read once there is something to send. Groups are read
   * separately.
   */
  readonly pinged: () => ReadonlySet<string>;
  readonly contexts: Pick<Contexts, 'read'>;
}

/**
 * Records attempts without a queued run; the caller's transaction has locked what they belong to.
 * Data read at once must be of this transaction.
 * @throws {TooManyDeliveriesError} if the batch can be divided
 */
export function recordLocked(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  { states, pinged, contexts }: HeldRows,
  { isDivisible, ...rules }: RecordRules & { readonly isDivisible: boolean },
): Recorded[] {
  if (attempts.length === 0) return [];
  const maxDeliveries = isDivisible ? deliveriesAtOnce : Infinity;
  const known = new Map(states.map((row) => [keyOf(row.account_id, row.check_id), row]));
  const moved = new Map<string, CheckStatesTable>();
  const results: ResultsTable[] = [];
  const alerts: AlertsTable[] = [];
  const counts = createCounts();
  const notifyRows = notifyRowsOf(connection, rules.now, counts);
  let pingedNow: ReadonlySet<string> | null = null;
  const recorded = recordWith(
    connection,
    attempts,
    { ...rules, maxDeliveries, contexts, counts },
    {
      release: () => true,
      listeners(attempt) {
        pingedNow ??= pinged();
        const { groupId, id } = attempt.context.check;
        return groupId !== null || pingedNow.has(id) ? notifyRows.listeners(attempt) : [];
      },
      insertResult: (row) => void results.push(row),
      state: (...key) => moved.get(keyOf(...key)) ?? known.get(keyOf(...key)),
      writeState: (row) => void moved.set(keyOf(row.account_id, row.check_id), row),
      insertAlert: (row) => {
        alerts.push(row);
        counts.addAlerts([row]);
      },
    },
  );
  if (recorded.length < attempts.length) throw new TooManyDeliveriesError(recorded.length);
  insertRows(connection, 'results', results, rowEndings.results);
  writeStates(connection, [...moved.values()]);
  insertRows(connection, 'alerts', alerts);
  return recorded;
}

function keyOf(accountId: IdBytes, checkId: IdBytes): string {
  return latin1(accountId) + latin1(checkId);
}

function recordWith(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  {
    maxDeliveries,
    contexts,
    counts,
    ...rules
  }: RecordRules & {
    readonly maxDeliveries: number;
    readonly contexts: Pick<Contexts, 'read'>;
    readonly counts: Counts;
  },
  own: Pick<RecordRows, 'release'> & Partial<RecordRows>,
): Recorded[] {
  const rows: RecordRows = {
    ...notifyRowsOf(connection, rules.now, counts),
    ...incidentRowsOf(connection),
    insertResult: (row) => void insertResult(connection, row),
    noteLate: (...hour) => noteLate(connection, ...hour),
    locationOf: (...key) => readLocation(connection, key),
    state: (accountId, checkId) => readState(connection, accountId, checkId),
    needed: (...key) => suppression.needed(...key),
    writeState: (row) => writeStates(connection, [row]),
    insertExchange: (row) => void insertRow(connection, 'exchanges', row, rowEndings.exchanges),
    keepPassing: (row) => void insertRow(connection, 'passing_exchanges', row, rowEndings.passing_exchanges),
    runAgain: (row) => void insertRow(connection, 'first_runs', row, rowEndings.first_runs),
    giveBack: (accountId, at) => countUsage(connection, accountId, at, -1),
    ...own,
  };
  const suppression = suppressionRowsOf(connection, contexts, (...key) => rows.state(...key));
  const recorded: Recorded[] = [];
  let deliveries = 0;
  for (const attempt of attempts) {
    const one = recordAttempt(rows, attempt, rules, counts);
    suppression.forget(attempt.run.accountId, attempt.run.checkId);
    recorded.push(one);
    deliveries += one.deliveries;
    if (deliveries >= maxDeliveries) break;
  }
  writeCounts(connection, counts);
  return recorded;
}

function release(connection: Connection, { run, retry }: EndedAttempt, owner: string): boolean {
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

/** Adds a result; false if its ID exists already. */
export function insertResult(connection: Connection, row: ResultsTable): boolean {
  return insertRow(connection, 'results', row, rowEndings.results);
}
