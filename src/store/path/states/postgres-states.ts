// Evaluation of states without new results in PostgreSQL: most are only read; those with a due alert are locked and
// evaluated again. The decisions are in judge-states.ts.
import type { CheckContext } from '#domain/results/recording.ts';
import { idText, json } from '../../base/codec.ts';
import {
  type AlertedColumns,
  alertedUpdate,
  suppressorUpdate,
  attemptOf,
  type DueAlert,
  foundBy,
  type LockedState,
  type JudgedStates,
  type JudgeStatesRules,
  keyOfRow,
  scanLimit,
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
import type { NotifyRules } from '../record/notify-channels.ts';
import { type CheckKey, readNeeded } from '../record/postgres-suppression.ts';
import { neededIn, type NeededRow } from '../record/suppression.ts';
import { type Bulk, columnsOf, inPairs } from '../../engines/postgres/bulk.ts';
import type { Contexts } from '../../checks/postgres-contexts.ts';
import { readStorms } from '../record/postgres-storms.ts';
import { createRecording, sendNotified } from '../record/recording.ts';
import { createCounts } from '../../base/counts.ts';
import {
  countListeners,
  fittingOf,
  type FoundRows,
  nothingFound,
  readListeners,
  readsOf,
} from '../record/postgres-results.ts';
import type { Session } from '../../engines/postgres/session.ts';

const slice = sliceStatement(['$1', '$2', '$3', '$4']);

/** A state whose alert is due. */
interface DueState {
  readonly row: CheckStatesTable;
  readonly context: CheckContext;
  readonly due: DueAlert;
}

/** Evaluates the states of a slice, and raises due alerts that no other process is handling. */
export async function judgeStates(
  session: Session,
  bulk: Bulk,
  rules: JudgeStatesRules,
  contexts: Contexts,
): Promise<JudgedStates> {
  const rows = await session.query<SliceRow>(slice, [...startOf(rules.after), statesAtOnce, rules.now]);
  const open = rows.filter(({ is_open }) => is_open === 1);
  const next = nextOf(rows);
  const waits = new Map(open.map((row) => [keyOf(row), row.escalates_at]));
  const due = (states: readonly CheckStatesTable[]) => dueOf(session, { states, waits }, rules, contexts);
  const seen = open.length === 0 ? [] : await due(await readStates(session, open));
  if (seen.length === 0) return { opened: [], next };
  // Their contexts are read after locking, so that they are at least as new.
  const held = await readStates(
    session,
    seen.map(({ row }) => row),
    'FOR NO KEY UPDATE SKIP LOCKED',
  );
  const unheld = await unsuppressed(session, bulk, await due(held), rules, contexts);
  const { opened, last } = await openAll(session, bulk, unheld, rules);
  return { opened, next: last === null ? next : keyOfRow(last) };
}

function keyOf({ account_id, check_id }: Pick<CheckStatesTable, 'account_id' | 'check_id'>): string {
  return idText(account_id) + idText(check_id);
}

/** In key order. */
function readStates(
  session: Session,
  keys: readonly Pick<CheckStatesTable, 'account_id' | 'check_id'>[],
  ending = '',
): Promise<CheckStatesTable[]> {
  return session.query<CheckStatesTable>(
    `SELECT * FROM check_states WHERE ${inPairs('(account_id, check_id)', 1)} ORDER BY account_id, check_id ${ending}`,
    columnsOf(keys, 'account_id', 'check_id'),
  );
}

async function dueOf(
  session: Session,
  {
    states: rows,
    waits,
  }: { readonly states: readonly CheckStatesTable[]; readonly waits: ReadonlyMap<string, number | null> },
  { judge }: JudgeStatesRules,
  contexts: Contexts,
): Promise<DueState[]> {
  if (rows.length === 0) return [];
  const owners = rows.map((row) => ({ accountId: idText(row.account_id), checkId: idText(row.check_id) }));
  const read = await contexts.read(session, owners);
  return rows.flatMap((row, index) => {
    const context = read[index] ?? null;
    const due = context === null ? null : judge(standingOf(row, context, waits.get(keyOf(row)) ?? null));
    return context === null || due === null ? [] : [{ row, context, due }];
  });
}

/** Those whose alert no needed check suppresses; the others show what suppresses it. */
async function unsuppressed(
  session: Session,
  bulk: Bulk,
  due: readonly DueState[],
  { now }: NotifyRules,
  contexts: Contexts,
): Promise<DueState[]> {
  if (!due.some(({ context }) => neededIn(context).length > 0)) return [...due];
  const read = { needed: new Map<string, NeededRow | null>(), states: new Map<string, CheckStatesTable>() };
  for (;;) {
    const asked = new Map<string, CheckKey>();
    const needed = (accountId: string, checkId: string): NeededRow | null => {
      const known = read.needed.get(accountId + checkId);
      if (known === undefined) asked.set(accountId + checkId, { accountId, checkId });
      return known ?? null;
    };
    const judged = due.map((one) => {
      // Messages about flapping and escalations are not suppressed.
      if (one.due.opens === null) return { one, by: null, isNew: false };
      return { one, ...suppressionOfRow({ needed }, one.row, one.context, now) };
    });
    if (asked.size > 0) {
      await readNeeded(session, contexts, [...asked.values()], read);
      continue;
    }
    const changed = judged.filter(({ isNew }) => isNew);
    bulk.sendUpdate(
      suppressorUpdate,
      changed.map(({ one: { row }, by }) => ({ ...row, suppressed_by: json(by) })),
    );
    return judged.flatMap(({ one, by }) => {
      if (by === null) return [one];
      return one.due.isFlappingDue || one.due.isEscalationDue ? [{ ...one, due: { ...one.due, opens: null } }] : [];
    });
  }
}

/** Notifies the channels of locked states. `last` is the last one that fits into this transaction; null = all do. */
async function openAll(
  session: Session,
  bulk: Bulk,
  due: readonly DueState[],
  rules: JudgeStatesRules,
): Promise<{ opened: OpenedAlert[]; last: CheckStatesTable | null }> {
  if (due.length === 0) return { opened: [], last: null };
  const results = await readResults(session, due, rules.now);
  const all: LockedState[] = due.flatMap((one) => {
    const result = results.get(keyOf(one.row));
    return result === undefined ? [] : [{ ...one, result }];
  });
  const attempts = all.map(attemptOf);
  const fitting = all.length > 1 ? fittingOf(attempts, await countListeners(session, attempts)) : all.length;
  const held = all.slice(0, fitting);
  const found: FoundRows = { held: new Set(), states: new Map(), locations: new Map(), ...nothingFound() };
  await readListeners(session, attempts.slice(0, fitting), found.listeners);
  await readStorms(session, bulk, attempts.slice(0, fitting), found, rules);
  const recording = createRecording(readsOf(found).reads);
  const alerted = new Map<CheckStatesTable, AlertedColumns>();
  const rows = {
    ...recording.rows,
    writeAlerted: (row: CheckStatesTable, columns: AlertedColumns) => void alerted.set(row, columns),
  };
  const opened = held.flatMap((one) => notifyStanding(rows, one, rules) ?? []);
  const changed = [...alerted].map(([row, columns]) => ({ ...row, ...columns }));
  bulk.sendUpdate(alertedUpdate, changed);
  sendNotified(bulk, recording, createCounts());
  return { opened, last: fitting < all.length ? (held.at(-1)?.row ?? null) : null };
}

/** The results that caused the states, by check. */
async function readResults(
  session: Session,
  due: readonly DueState[],
  now: number,
): Promise<ReadonlyMap<string, ResultsTable>> {
  const found = due.map(({ row }) => foundBy(row, now));
  const ends = found.flatMap(({ from, before }) => [from, before]).toSorted((a, b) => Buffer.compare(a, b));
  const rows = await session.query<ResultsTable>(
    `SELECT r.* FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bytea[], $5::smallint[], $6::bigint[])
       AS f (account_id, check_id, from_id, before_id, outcome, started_at)
     CROSS JOIN LATERAL (
       SELECT * FROM (
         SELECT * FROM results WHERE account_id = f.account_id AND check_id = f.check_id AND id >= f.from_id
           AND id < f.before_id AND id >= $7 AND id < $8 AND run_id IS NULL ORDER BY id DESC LIMIT ${scanLimit}) n
       WHERE n.outcome = f.outcome ORDER BY n.started_at = f.started_at DESC, n.id DESC LIMIT 1) r`,
    [
      ...columnsOf(
        due.map(({ row }) => row),
        'account_id',
        'check_id',
      ),
      ...columnsOf(found, 'from', 'before', 'outcome', 'startedAt'),
      // Restricts the partitions to read.
      ends[0],
      ends.at(-1),
    ],
  );
  return new Map(rows.map((row) => [keyOf(row), row]));
}
