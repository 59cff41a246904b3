// Turns ended attempts into results, states, alerts and deliveries: the decisions of `record-results`, shared by all
// engines.
import { type CheckState, foldResult, type StateStep } from '#domain/checks/check-state.ts';
import { type EndedAttempt, isStoredInFull, type Recorded } from '#domain/results/recording.ts';
import { hourOf, isLate } from '#domain/results/roll-up.ts';
import { expectedEveryMs } from '#domain/checks/state-rules.ts';
import type { JsonValue } from '#domain/json.ts';
import type { Reason } from '#domain/results/result.ts';
import type { Run } from '#domain/checks/run.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import { mayNotify } from '#domain/alerts/notify.ts';
import { mutedAlert } from '#domain/alerts/muted-alert.ts';
import type { Suppressor } from '#domain/alerts/suppression.ts';
import { isMutedUntilRecovery } from '#domain/checks/effective-check.ts';
import { derivedId } from '#lib/id.ts';
import { changeFlapping } from './flapping-rows.ts';
import { stateOf, stateRow, suppressorOfRow } from './check-state-rows.ts';
import { type IdBytes, idBytes, idTime } from '../../base/codec.ts';
import { outcomeCodes, reasonCodes, sourceCodes } from '../../base/codes.ts';
import type { Counts } from '../../base/counts.ts';
import { packed } from '../../base/packed.ts';
import type {
  CheckStatesTable,
  ExchangesTable,
  PassingExchangesTable,
  ResultsTable,
} from '../../base/tables/schema.ts';
import type { FirstRunsTable } from '../../base/tables/schedule-tables.ts';
import { notifyChannels, type NotifyRows, type NotifyRules, recordSuppressed } from './notify-channels.ts';
import { type SuppressionRows, suppressorIn } from './suppression.ts';
import { type IncidentRows, recordIncident } from './record-incident.ts';

/**
 * Number of deliveries after which a transaction records no further attempt, to limit how long it blocks the event loop
 * and holds locks.
 */
export const deliveriesAtOnce = 1000;

/** Rolls back a recording that would create too many deliveries at once. */
export class TooManyDeliveriesError extends Error {
  override readonly name = 'TooManyDeliveriesError';
  /** Number of attempts to record instead. */
  readonly fitting: number;

  constructor(fitting: number) {
    super(`record ${fitting} attempts at once`);
    this.fitting = fitting;
  }
}

/** Who records, when, and with which rendering. */
export interface RecordRules extends NotifyRules {
  readonly owner: string;
}

/** Rows that recording reads and writes; reads see earlier writes. */
export interface RecordRows extends NotifyRows, IncidentRows, SuppressionRows {
  /** Closes the run or requeues it for its next attempt; false if it is leased by another process, or was deleted. */
  release(attempt: EndedAttempt): boolean;
  insertResult(row: ResultsTable): void;
  /** Marks an hour of a check whose roll-up may miss this result. @param startAt epoch ms */
  noteLate(accountId: IdBytes, checkId: IdBytes, startAt: number): void;
  /** Location of a result named by `firstResultOf`; undefined = deleted. */
  locationOf(accountId: IdBytes, checkId: IdBytes, resultId: IdBytes): string | undefined;
  /** Undefined = the check has none yet. */
  state(accountId: IdBytes, checkId: IdBytes): CheckStatesTable | undefined;
  writeState(row: CheckStatesTable): void;
  insertExchange(row: ExchangesTable): void;
  keepPassing(row: PassingExchangesTable): void;
  /** Requests an additional run of a check outside its schedule (docs/decisions/0116). */
  runAgain(row: FirstRunsTable): void;
  /** Returns a run that counted toward the execution limit of the month of `at` and never ran. */
  giveBack(accountId: IdBytes, at: number): void;
}

interface Ids {
  readonly accountId: IdBytes;
  readonly checkId: IdBytes;
  readonly runId: IdBytes;
  readonly resultId: IdBytes;
}

/** Records an attempt whose run this owner has leased; drops any other, which another process repeats. */
export function recordAttempt(rows: RecordRows, attempt: EndedAttempt, rules: RecordRules, counts: Counts): Recorded {
  const { run, retry, outcome } = attempt;
  const resultId = retry === null ? run.id : attemptId(run);
  const nothing: Recorded = { isRecorded: false, resultId, change: null, alertTypes: [], deliveries: 0 };
  if (!rows.release(attempt)) return nothing;
  const ids: Ids = {
    accountId: idBytes(run.accountId),
    checkId: idBytes(run.checkId),
    runId: idBytes(run.id),
    resultId: idBytes(resultId),
  };
  rows.insertResult(resultRow(ids, attempt));
  const at = idTime(ids.resultId);
  if (isLate(at, rules.now)) rows.noteLate(ids.accountId, ids.checkId, hourOf(at));
  if (retry !== null) {
    if (attempt.finding.exchange !== null) rows.insertExchange(exchangeRow(ids, attempt.finding.exchange));
    return { ...nothing, isRecorded: true };
  }
  counts.add(ids.accountId, at, outcome);
  // Missed on purpose, so not a gap. A heartbeat that was not expected is `unknown`, and missed nothing.
  if (outcome === 'missed' && isOnPurpose(attempt.finding.reason)) counts.add(ids.accountId, at, 'limited');
  if (outcome === 'unknown' && attempt.finding.reason === 'settings') counts.add(ids.accountId, at, 'misconfigured');
  if (outcome === 'missed') rows.giveBack(ids.accountId, run.slotAt ?? run.dueAt);
  if (attempt.isQuiet === true) {
    if (attempt.runsAgain === true) {
      rows.runAgain({ account_id: ids.accountId, check_id: ids.checkId, due_at: rules.now });
    }
    if (attempt.finding.exchange !== null) rows.insertExchange(exchangeRow(ids, attempt.finding.exchange));
    return { ...nothing, isRecorded: true };
  }
  const row = rows.state(ids.accountId, ids.checkId);
  return recordState(rows, ids, { attempt: mutedNow(attempt, row), row, nothing }, rules, counts);
}

/** Folds a counted result into the state and notifies the channels. */
function recordState(
  rows: RecordRows,
  ids: Ids,
  {
    attempt,
    row,
    nothing,
  }: { readonly attempt: EndedAttempt; readonly row: CheckStatesTable | undefined; readonly nothing: Recorded },
  rules: RecordRules,
  counts: Counts,
): Recorded {
  const { resultId } = nothing;
  const before = stateOf(row);
  const { step, suppressed, muted } = foldSuppressed(rows, ids, attempt, { row, before }, rules);
  if (muted !== null) counts.add(ids.accountId, rules.now, 'muted');
  const changed = { row, before, after: step.state, check: attempt.context.check, resultId: ids.resultId };
  const { incident, columns } = recordIncident(rows, changed, rules.now);
  const suppressedBy = suppressed?.by ?? (isOver(step) ? null : suppressorOfRow(row));
  const everyMs = expectedEveryMs(attempt.context.check);
  const flapping = changeFlapping({ row, alerted: before.alerted, everyMs, now: rules.now }, step);
  const changes = { state: step.state, incident: columns, suppressedBy, flapping: flapping.columns };
  rows.writeState(stateRow(row, ids, changes, attempt, rules.now));
  if (suppressed !== null && suppressorOfRow(row) === null) {
    recordSuppressed(rows, { attempt, resultId, ...suppressed }, rules);
  }
  keepExchange(rows, ids, attempt, step);
  const judged = { before, step, rules: attempt.rules, certificate: attempt.finding.certificate };
  if (!mayNotify(judged, rules.now)) return { ...nothing, isRecorded: true, change: step.change };
  const notified = notifyChannels(
    rows,
    { attempt, resultId, step, before, incident, tidings: flapping.tidings },
    rules,
  );
  return { ...nothing, ...notified, isRecorded: true, change: step.change };
}

/** The attempt with the rules of a mute until recovery, which depends on the state. */
function mutedNow(attempt: EndedAttempt, row: CheckStatesTable | undefined): EndedAttempt {
  if (!isMutedUntilRecovery(attempt.context, row?.passed_at ?? null)) return attempt;
  return { ...attempt, rules: { ...attempt.rules, isMuted: true } };
}

/** Folds a result into the state. If its alert is suppressed, the check counts as muted. */
function foldSuppressed(
  rows: RecordRows,
  ids: Ids,
  attempt: EndedAttempt,
  { row, before }: { readonly row: CheckStatesTable | undefined; readonly before: CheckState },
  rules: RecordRules,
): {
  readonly step: StateStep;
  readonly suppressed: { by: Suppressor; alertType: AlertType } | null;
  readonly muted: AlertType | null;
} {
  const result = stateResultOf(attempt, countedAt(rows, ids, attempt));
  const step = foldResult(before, result, attempt.rules);
  const by =
    step.opens === null ? null : suppressorIn(rows, attempt.context, step.state, suppressorOfRow(row), rules.now);
  const muted = mutedAlert(before, result, attempt.rules);
  if (step.opens === null || by === null) return { step, suppressed: null, muted };
  return {
    step: foldResult(before, result, { ...attempt.rules, isMuted: true }),
    suppressed: { by, alertType: step.opens },
    muted,
  };
}

/** Whether nothing is left to suppress: the alert was raised, or the check passes. */
function isOver({ isMoved, opens, state }: StateStep): boolean {
  return isMoved && (opens !== null || state.status === 'passing');
}

function isOnPurpose(reason: Reason | null): boolean {
  return reason === 'maintenance' || reason === 'deactivated' || reason === 'overlap';
}

function resultRow(ids: Ids, { run, finding, outcome, retry }: EndedAttempt): ResultsTable {
  return {
    account_id: ids.accountId,
    check_id: ids.checkId,
    id: ids.resultId,
    run_id: retry === null ? null : ids.runId,
    attempt: run.attempt,
    outcome: outcomeCodes.encode(outcome),
    reason: finding.reason === null ? null : reasonCodes.encode(finding.reason),
    message: finding.message,
    location: run.location,
    source: sourceCodes.encode(run.source),
    slots: 1,
    started_at: Math.trunc(finding.startedAt),
    duration_ms: Math.max(0, Math.round(finding.stoppedAt - finding.startedAt)),
    response_us: finding.responseTimeMs === null ? null : Math.round(finding.responseTimeMs * 1000),
    loop_delay_ms: Math.round(finding.loopDelayMs),
    details: finding.details === null ? null : packedOnce(finding.details),
    interval_ms: run.intervalMs,
  };
}

let lastPacked: { readonly details: JsonValue; readonly bytes: Uint8Array } | null = null;

/** Identical consecutive details, as of missing pings, are packed once. */
function packedOnce(details: JsonValue): Uint8Array {
  if (lastPacked?.details !== details) lastPacked = { details, bytes: packed(details) };
  return lastPacked.bytes;
}

function keepExchange(rows: RecordRows, ids: Ids, attempt: EndedAttempt, { change }: StateStep): void {
  const { exchange } = attempt.finding;
  if (exchange === null) return;
  if (isStoredInFull(attempt.outcome, change, attempt.run.source)) rows.insertExchange(exchangeRow(ids, exchange));
  if (attempt.outcome !== 'passed') return;
  const { account_id, check_id, result_id } = exchangeRow(ids, exchange);
  rows.keepPassing({ account_id, check_id, location: attempt.run.location, result_id, exchange });
}

function exchangeRow({ accountId, checkId, resultId }: Ids, exchange: string): ExchangesTable {
  return { account_id: accountId, check_id: checkId, result_id: resultId, exchange };
}

/** The final attempt has the run's ID; earlier ones derive theirs, so that a repetition is recorded once. */
function attemptId(run: Pick<Run, 'id' | 'attempt' | 'slotAt' | 'batchId' | 'dueAt'>): string {
  // A triggered run is due at the call; its ID may be created after others were due.
  const calledAt = run.attempt === 1 ? calledAtOf(run) : null;
  return derivedId(run.slotAt ?? calledAt ?? run.dueAt, run.id, run.attempt);
}

/**
 * The result of the first attempt of a run if it determines the location that the last one counts for: in the state of
 * a parallel check, after more than one attempt (docs/decisions/0098). null = it counts where it was made.
 */
export function firstResultOf({ run, retry, rules }: EndedAttempt): string | null {
  return retry !== null || rules.parallel === null || run.attempt === 1 ? null : attemptId({ ...run, attempt: 1 });
}

/** A retry elsewhere counts for the planned location of its run: each location has one result in a round. */
function countedAt(rows: RecordRows, { accountId, checkId }: Ids, attempt: EndedAttempt): string {
  const first = firstResultOf(attempt);
  const began = first === null ? undefined : rows.locationOf(accountId, checkId, idBytes(first));
  return began ?? attempt.run.location;
}

/** When the trigger that started a run was called, epoch ms; null = not triggered. */
function calledAtOf({ batchId }: Pick<Run, 'batchId'>): number | null {
  return batchId === null ? null : idTime(idBytes(batchId));
}

function stateResultOf({ run, finding, outcome, rules }: EndedAttempt, location: string) {
  // Runs of one call are a round of the locations of a parallel check, whenever each of them starts.
  const calledAt = rules.parallel === null ? null : calledAtOf(run);
  return {
    outcome,
    location,
    at: run.slotAt ?? calledAt ?? Math.trunc(finding.startedAt),
    startedAt: Math.trunc(finding.startedAt),
  };
}
