// Evaluation of states without new results in SQLite; the decisions are in judge-states.ts.
import type { Suppressor } from '#domain/alerts/suppression.ts';
import { idText, json } from '../../base/codec.ts';
import { type Counts, createCounts } from '../../base/counts.ts';
import {
  foundBy,
  type JudgedStates,
  type JudgeStatesRows,
  type JudgeStatesRules,
  scanLimit,
  keyOfRow,
  nextOf,
  type OpenedAlert,
  type SliceRow,
  sliceStatement,
  standingOf,
  startOf,
  statesAtOnce,
  notifyStanding,
  suppressionOfRow,
} from './judge-states.ts';
import type { CheckStatesTable, ResultsTable } from '../../base/tables/schema.ts';
import { deliveriesAtOnce } from '../record/record-attempts.ts';
import { notifyRowsOf } from '../record/sqlite-alerts.ts';
import { incidentRowsOf } from '../record/sqlite-incidents.ts';
import { readState } from '../record/sqlite-check-states.ts';
import { suppressionRowsOf } from '../record/sqlite-suppression.ts';
import type { Contexts } from '../../checks/sqlite-contexts.ts';
import type { KnownNeeded } from '../record/suppression.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { writeCounts } from '../../engines/sqlite/counts.ts';

type ReadContexts = Pick<Contexts, 'read'>;

const slice = sliceStatement(['?1', '?2', '?3', '?4'], 'INDEXED BY check_states_untold');

/** Evaluates the states of a slice, and raises due alerts. */
export function judgeStates(connection: Connection, rules: JudgeStatesRules, contexts: ReadContexts): JudgedStates {
  const rows = connection.select<SliceRow>(slice)(...startOf(rules.after), statesAtOnce, rules.now);
  const opened: OpenedAlert[] = [];
  let deliveries = 0;
  let next = nextOf(rows);
  const counts = createCounts();
  const written = rowsOf(connection, rules.now, counts);
  const suppression = suppressionRowsOf(connection, contexts);
  for (const key of rows) {
    if (key.is_open !== 1) continue;
    const one = judgeOne(connection, key, rules, { contexts, written, suppression });
    if (one !== null) {
      opened.push(one);
      suppression.forget(one.context.check.accountId, one.context.check.id);
    }
    deliveries += one?.deliveries ?? 0;
    if (deliveries < deliveriesAtOnce) continue;
    next = keyOfRow(key);
    break;
  }
  writeCounts(connection, counts);
  return { opened, next };
}

function judgeOne(
  connection: Connection,
  { account_id, check_id, escalates_at }: SliceRow,
  rules: JudgeStatesRules,
  {
    contexts,
    written,
    suppression,
  }: { readonly contexts: ReadContexts; readonly written: JudgeStatesRows; readonly suppression: KnownNeeded },
): OpenedAlert | null {
  const row = readState(connection, account_id, check_id);
  const context = row === undefined ? null : contexts.read(connection, idText(account_id), idText(check_id));
  if (row === undefined || context === null) return null;
  const due = rules.judge(standingOf(row, context, escalates_at));
  if (due === null) return null;
  // Messages about flapping and escalations are not suppressed.
  const found = due.opens === null ? null : suppressionOfRow(suppression, row, context, rules.now);
  if (found?.isNew === true) showSuppressor(connection, row, found.by);
  const isSuppressed = found !== null && found.by !== null;
  if (isSuppressed && !due.isFlappingDue && !due.isEscalationDue) return null;
  const result = findResult(connection, row, rules.now);
  return result === undefined
    ? null
    : notifyStanding(written, { row, result, context, due: isSuppressed ? { ...due, opens: null } : due }, rules);
}

function showSuppressor(
  connection: Connection,
  { account_id, check_id }: CheckStatesTable,
  by: Suppressor | null,
): void {
  connection
    .prepare('UPDATE check_states SET suppressed_by = ?, revision = revision + 1 WHERE account_id = ? AND check_id = ?')
    .run(json(by), account_id, check_id);
}

/** The result that caused the state. */
function findResult(connection: Connection, row: CheckStatesTable, now: number): ResultsTable | undefined {
  const { from, before, outcome, startedAt } = foundBy(row, now);
  return connection
    .prepare(
      `SELECT * FROM (
         SELECT * FROM results WHERE account_id = ?1 AND check_id = ?2 AND id >= ?3 AND id < ?4 AND run_id IS NULL
         ORDER BY id DESC LIMIT ${scanLimit})
       WHERE outcome = ?5 ORDER BY started_at = ?6 DESC, id DESC LIMIT 1`,
    )
    .get(row.account_id, row.check_id, from, before, outcome, startedAt) as unknown as ResultsTable | undefined;
}

function rowsOf(connection: Connection, now: number, counts: Counts): JudgeStatesRows {
  return {
    ...notifyRowsOf(connection, now, counts),
    ...incidentRowsOf(connection),
    writeAlerted: ({ account_id, check_id }, columns) =>
      void connection
        .prepare(
          `UPDATE check_states SET suppressed_by = CASE WHEN ?1 IS alerted THEN suppressed_by END, alerted = ?1,
             incident_id = ?, incident_started_at = ?, acknowledged_at = ?, flapping = ?, flapping_since = ?,
             flapping_due_at = ?, revision = revision + 1 WHERE account_id = ? AND check_id = ?`,
        )
        .run(
          columns.alerted,
          columns.incident_id,
          columns.incident_started_at,
          columns.acknowledged_at,
          columns.flapping,
          columns.flapping_since,
          columns.flapping_due_at,
          account_id,
          check_id,
        ),
  };
}
