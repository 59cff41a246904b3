// Evaluation of states without new results in SQLite; the decisions are in judge-states.ts.
import { idText, json } from '../../base/codec.ts';
import { createCounts } from '../../base/counts.ts';
import { updateRow, writesOn } from '../../engines/sqlite/many-rows.ts';
import {
  alertedUpdate,
  suppressorUpdate,
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
import { createRecording, sendNotified } from '../record/recording.ts';
import { readsOf, readState } from '../record/sqlite-reads.ts';
import type { Contexts } from '../../checks/sqlite-contexts.ts';
import type { SuppressionRows } from '../record/suppression.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';

type ReadContexts = Pick<Contexts, 'read'>;

const slice = sliceStatement(['?1', '?2', '?3', '?4'], 'INDEXED BY check_states_untold');

/** Evaluates the states of a slice, and raises due alerts. */
export function judgeStates(connection: Connection, rules: JudgeStatesRules, contexts: ReadContexts): JudgedStates {
  const rows = connection.select<SliceRow>(slice)(...startOf(rules.after), statesAtOnce, rules.now);
  const opened: OpenedAlert[] = [];
  let deliveries = 0;
  let next = nextOf(rows);
  const counts = createCounts();
  const recording = createRecording(readsOf(connection, contexts, rules.now));
  const written: JudgeStatesRows = {
    ...recording.rows,
    writeAlerted: (row, columns) => updateRow(connection, alertedUpdate, { ...row, ...columns }),
  };
  for (const key of rows) {
    if (key.is_open !== 1) continue;
    const one = judgeOne(connection, key, rules, { contexts, written, suppression: recording.rows });
    if (one !== null) opened.push(one);
    deliveries += one?.deliveries ?? 0;
    if (deliveries < deliveriesAtOnce) continue;
    next = keyOfRow(key);
    break;
  }
  sendNotified(writesOn(connection), recording, counts);
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
  }: { readonly contexts: ReadContexts; readonly written: JudgeStatesRows; readonly suppression: SuppressionRows },
): OpenedAlert | null {
  const row = readState(connection, account_id, check_id);
  const context = row === undefined ? null : contexts.read(connection, idText(account_id), idText(check_id));
  if (row === undefined || context === null) return null;
  const due = rules.judge(standingOf(row, context, escalates_at));
  if (due === null) return null;
  // Messages about flapping and escalations are not suppressed.
  const found = due.opens === null ? null : suppressionOfRow(suppression, row, context, rules.now);
  if (found?.isNew === true) updateRow(connection, suppressorUpdate, { ...row, suppressed_by: json(found.by) });
  const isSuppressed = found !== null && found.by !== null;
  if (isSuppressed && !due.isFlappingDue && !due.isEscalationDue) return null;
  const result = findResult(connection, row, rules.now);
  return result === undefined
    ? null
    : notifyStanding(written, { row, result, context, due: isSuppressed ? { ...due, opens: null } : due }, rules);
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
