// Ended attempts become results, states, alerts and deliveries in one transaction: the statements of `record-results`.
import { sslDaysRemaining, sslSteps } from '#domain/alert.ts';
import { type CheckState, foldResult, type StateStep } from '#domain/check-state.ts';
import { type EndedAttempt, isKeptInFull, type Recorded } from '#domain/recording.ts';
import { derivedId } from '#lib/id.ts';
import { type IdBytes, idBytes } from '../codec.ts';
import { packed } from '../packed.ts';
import { outcomeCodes, reasonCodes, sourceCodes } from '../codes.ts';
import { tellChannels, type TellRules } from './alerts.ts';
import { readState, writeState } from './check-states.ts';
import type { Connection } from './connection.ts';
import { type Counts, countUsage, createCounts } from './counts.ts';

/** Who records, when, and how deliveries are rendered. */
export interface RecordRules extends TellRules {
  readonly owner: string;
}

interface Ids {
  readonly accountId: IdBytes;
  readonly checkId: IdBytes;
  readonly runId: IdBytes;
  readonly resultId: IdBytes;
}

/** Records each attempt whose run this owner still holds; the others are dropped: someone else does their work. */
export function recordAttempts(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  rules: RecordRules,
): Recorded[] {
  const counts = createCounts();
  const recorded = attempts.map((attempt) => recordAttempt(connection, attempt, rules, counts));
  counts.write(connection, rules.now);
  return recorded;
}

function recordAttempt(connection: Connection, attempt: EndedAttempt, rules: RecordRules, counts: Counts): Recorded {
  const { run, retryAt, outcome } = attempt;
  // The final attempt takes the run's own id; earlier ones derive theirs, so that a repeat is no second fact.
  const resultId = retryAt === null ? run.id : derivedId(run.slotAt ?? run.dueAt, run.id, run.attempt);
  const ids: Ids = {
    accountId: idBytes(run.accountId),
    checkId: idBytes(run.checkId),
    runId: idBytes(run.id),
    resultId: idBytes(resultId),
  };
  const nothing: Recorded = { isRecorded: false, resultId, change: null, alertTypes: [], deliveries: 0 };
  if (!letGo(connection, ids, attempt, rules.owner)) return nothing;
  insertResult(connection, ids, attempt);
  if (retryAt !== null) {
    if (attempt.finding.exchange !== null) insertExchange(connection, ids, attempt);
    return { ...nothing, isRecorded: true };
  }
  counts.add(ids.accountId, outcome, 1);
  if (outcome === 'missed') countUsage(connection, ids.accountId, run.slotAt ?? run.dueAt, -1);
  const before = readState(connection, ids.accountId, ids.checkId);
  const step = foldResult(before, stateResultOf(attempt), attempt.rules);
  writeState(connection, ids, step.state, attempt, rules.now);
  keepExchange(connection, ids, attempt, step);
  if (!mayTell(before, step, attempt, rules.now)) return { ...nothing, isRecorded: true, change: step.change };
  const told = tellChannels(connection, { attempt, resultId, step, before }, rules);
  return { ...nothing, ...told, isRecorded: true, change: step.change };
}

/** Closes the run or sends it back for its next attempt; false when the lease is someone else's, or the run is gone. */
function letGo(connection: Connection, ids: Ids, { run, retryAt }: EndedAttempt, owner: string): boolean {
  const held =
    retryAt === null
      ? connection
          .prepare('DELETE FROM runs WHERE account_id = ? AND id = ? AND leased_by = ? AND attempt = ?')
          .run(ids.accountId, ids.runId, owner, run.attempt)
      : connection
          .prepare(
            `UPDATE runs SET attempt = attempt + 1, due_at = ?, available_at = ?, leased_by = NULL
             WHERE account_id = ? AND id = ? AND leased_by = ? AND attempt = ?`,
          )
          .run(retryAt, retryAt, ids.accountId, ids.runId, owner, run.attempt);
  return Number(held.changes) === 1;
}

function insertResult(connection: Connection, ids: Ids, { run, finding, outcome, retryAt }: EndedAttempt): void {
  connection
    .prepare(
      `INSERT INTO results (account_id, check_id, id, run_id, attempt, outcome, reason, message, location, source, slots,
         started_at, duration_ms, response_us, loop_delay_ms, details)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    .run(
      ids.accountId,
      ids.checkId,
      ids.resultId,
      retryAt === null ? null : ids.runId,
      run.attempt,
      outcomeCodes.encode(outcome),
      finding.reason === null ? null : reasonCodes.encode(finding.reason),
      finding.message,
      run.location,
      sourceCodes.encode(run.source),
      Math.trunc(finding.startedAt),
      Math.max(0, Math.round(finding.stoppedAt - finding.startedAt)),
      finding.responseTimeMs === null ? null : Math.round(finding.responseTimeMs * 1000),
      Math.round(finding.loopDelayMs),
      finding.details === null ? null : packed(finding.details),
    );
}

function keepExchange(connection: Connection, ids: Ids, attempt: EndedAttempt, { change }: StateStep): void {
  if (attempt.finding.exchange === null) return;
  if (isKeptInFull(attempt.outcome, change, attempt.run.source)) insertExchange(connection, ids, attempt);
  if (attempt.outcome !== 'passed') return;
  connection
    .prepare(
      `INSERT INTO passing_exchanges (account_id, check_id, location, result_id, exchange) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (account_id, check_id, location)
       DO UPDATE SET result_id = excluded.result_id, exchange = excluded.exchange`,
    )
    .run(ids.accountId, ids.checkId, attempt.run.location, ids.resultId, attempt.finding.exchange);
}

function insertExchange(connection: Connection, ids: Ids, { finding }: EndedAttempt): void {
  connection
    .prepare(
      `INSERT INTO exchanges (account_id, check_id, result_id, exchange) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    .run(ids.accountId, ids.checkId, ids.resultId, finding.exchange);
}

function stateResultOf({ run, finding, outcome }: EndedAttempt) {
  return {
    outcome,
    location: run.location,
    at: run.slotAt ?? Math.trunc(finding.startedAt),
    startedAt: Math.trunc(finding.startedAt),
  };
}

/** Whether any channel can have something to hear: most results change nothing, and their channels are not read. */
function mayTell(before: CheckState, step: StateStep, { finding }: EndedAttempt, now: number): boolean {
  const isCertificateNear = finding.certificate !== null && sslDaysRemaining(finding.certificate, now) <= sslSteps[0];
  if (isCertificateNear) return true;
  return step.isMoved && (step.opens !== null || (step.state.status === 'passing' && before.status !== 'passing'));
}
