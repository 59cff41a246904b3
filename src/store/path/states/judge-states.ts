// Evaluates states without new results: which ones, and what is sent once an alert is due, shared by all engines
// (docs/decisions/0100).
import {
  alertedOf,
  type CheckState,
  type CheckStatus,
  type StateRules,
  type StateStep,
} from '#domain/checks/check-state.ts';
import type { CheckContext, EndedAttempt } from '#domain/results/recording.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import type { Outcome } from '#domain/results/result.ts';
import type { Suppressor } from '#domain/alerts/suppression.ts';
import { stateOf, suppressorOfRow } from '../record/check-state-rows.ts';
import { changeFlapping, type FlappingColumns, passFlapping } from '../record/flapping-rows.ts';
import { type SuppressionRows, suppressorIn } from '../record/suppression.ts';
import { firstIdAt, type IdBytes, idBytes, idText, idTime } from '../../base/codec.ts';
import { outcomeCodes, reasonCodes, sourceCodes } from '../../base/codes.ts';
import { unpacked } from '../../base/packed.ts';
import type { CheckStatesTable, ResultsTable } from '../../base/tables/schema.ts';
import { notifyChannels, type NotifyRows, type NotifyRules } from '../record/notify-channels.ts';
import { type IncidentColumns, type IncidentRows, recordIncident } from '../record/record-incident.ts';

/** The check of the state. */
export interface StateKey {
  readonly accountId: string;
  readonly checkId: string;
}

/** A state whose alert was not sent yet, and the input of its evaluation. */
export interface StandingState {
  readonly state: CheckState;
  readonly context: CheckContext;
  /** Slot or start of the newest result, epoch ms; null = none. */
  readonly judgedAt: number | null;
  /** When time can cause a message about its flapping, epoch ms; null = never. */
  readonly flappingDueAt: number | null;
  /** When the first channel that waits is notified of the open alert, epoch ms; null = none waits. */
  readonly escalatesAt: number | null;
  /** When the check last recovered, epoch ms; null = never. */
  readonly passedAt: number | null;
}

/** What is due: an alert, an escalation, or a message about flapping, with the rules that make it due. */
export interface DueAlert {
  /** null = only an escalation or its flapping is due. */
  readonly opens: StateStep['opens'];
  readonly rules: StateRules;
  /** The interval of the check, ms. */
  readonly everyMs: number;
  readonly isFlappingDue: boolean;
  readonly isEscalationDue: boolean;
}

/** Options of the evaluation. */
export interface JudgeStatesRules extends NotifyRules {
  /** Continues after this one; null = from the start. */
  readonly after: StateKey | null;
  /** null = nothing is due. May be called twice for a state. */
  readonly judge: (standing: StandingState) => DueAlert | null;
}

/** A raised alert. */
export interface OpenedAlert {
  readonly context: CheckContext;
  readonly alertTypes: readonly AlertType[];
  readonly deliveries: number;
}

/** Outcome of a slice. */
export interface JudgedStates {
  readonly opened: readonly OpenedAlert[];
  /** Where the next slice starts; null = that was the last. */
  readonly next: StateKey | null;
}

/**
 * Maximum number of states per slice: their context may have to be read, and each may be due, which blocks the event
 * loop.
 */
export const statesAtOnce = 60;

/** A key of a slice. */
export interface SliceRow {
  readonly account_id: IdBytes;
  readonly check_id: IdBytes;
  /** Whether its flapping is due, or its check is activated and neither it nor its group is muted. */
  readonly is_open: number;
  /** Of the channels that wait, the first; null = none waits. */
  readonly escalates_at: number | null;
}

/**
 * The statement of a slice: states that are not passing and whose alert was not sent, those that flap, and those of
 * which a channel waits for its escalation, in key order. Muted ones, and those of which nothing is due, cost only this.
 * @param hint follows the table, if the engine needs an index hint
 */
export function sliceStatement(
  [accountId, checkId, max, now]: readonly [string, string, string, string],
  hint = '',
): string {
  const after = `(account_id, check_id) > (${accountId}, ${checkId})`;
  const order = `ORDER BY account_id, check_id LIMIT ${max}`;
  return `SELECT k.account_id, k.check_id, k.escalates_at, CASE WHEN k.flapping_due_at <= ${now} THEN 1
      WHEN (k.is_untold = 1 OR k.escalates_at <= ${now}) AND c.activated = 1 AND c.muted = 0
      AND coalesce(g.activated, 1) = 1 AND coalesce(g.muted, 0) = 0 THEN 1 ELSE 0 END AS is_open
    FROM (SELECT account_id, check_id, max(flapping_due_at) AS flapping_due_at, max(is_untold) AS is_untold,
            min(escalates_at) AS escalates_at
          FROM (
            SELECT * FROM (SELECT account_id, check_id, flapping_due_at, CAST(NULL AS bigint) AS escalates_at,
                CASE WHEN status <> 'passing' AND alerted IS DISTINCT FROM status THEN 1 ELSE 0 END AS is_untold
              FROM check_states ${hint}
              WHERE ((status <> 'passing' AND alerted IS DISTINCT FROM status) OR flapping_due_at IS NOT NULL)
                AND ${after} ${order}) untold
            UNION ALL
            SELECT * FROM (SELECT account_id, check_id, CAST(NULL AS bigint), min(escalates_at), 0 FROM notified
              WHERE escalates_at IS NOT NULL AND ${after} AND NOT EXISTS (SELECT 1 FROM check_states s
                WHERE s.account_id = notified.account_id AND s.check_id = notified.check_id
                  AND s.acknowledged_at IS NOT NULL) GROUP BY account_id, check_id ${order}) escalating) found
          GROUP BY account_id, check_id ${order}) k
    LEFT JOIN checks c ON c.account_id = k.account_id AND c.id = k.check_id
    LEFT JOIN check_groups g ON g.account_id = c.account_id AND g.id = c.group_id
    ORDER BY k.account_id, k.check_id`;
}

const beforeAll = new Uint8Array();

/** Start of a slice, as values of its statement. */
export function startOf(after: StateKey | null): readonly [IdBytes, IdBytes] {
  return after === null ? [beforeAll, beforeAll] : [idBytes(after.accountId), idBytes(after.checkId)];
}

/** Start of the slice after these rows; null = none. */
export function nextOf(rows: readonly SliceRow[]): StateKey | null {
  const last = rows.length === statesAtOnce ? rows.at(-1) : undefined;
  return last === undefined ? null : keyOfRow(last);
}

/** The key of a row, where the next slice starts. */
export function keyOfRow({ account_id, check_id }: Pick<SliceRow, 'account_id' | 'check_id'>): StateKey {
  return { accountId: idText(account_id), checkId: idText(check_id) };
}

/** Input of evaluating a row. */
export function standingOf(row: CheckStatesTable, context: CheckContext, escalatesAt: number | null): StandingState {
  return {
    state: stateOf(row),
    context,
    judgedAt: row.last_result_id === null ? null : idTime(row.last_result_id),
    flappingDueAt: row.flapping_due_at,
    escalatesAt,
    passedAt: row.passed_at,
  };
}

const outcomeOf: Readonly<Record<CheckStatus, Outcome>> = {
  passing: 'passed',
  degraded: 'degraded',
  failing: 'failed',
};
/** A few rounds of several locations, up to a day apart. */
const longestMs = 4 * 86_400_000;
/** Number of results to search for the one that caused the state: some rounds of many locations. */
export const scanLimit = 200;

/**
 * Where to find the result that an alert of a state describes: the newest up to the state's position with that outcome.
 */
export interface Found {
  /** IDs from `from` on, below `before`. */
  readonly from: IdBytes;
  readonly before: IdBytes;
  readonly outcome: number;
  /** A result that started then is that one, even if there are newer ones; epoch ms. */
  readonly startedAt: number;
}

export function foundBy(row: CheckStatesTable, now: number): Found {
  const startedAt = row.position_started_at ?? now;
  // Without a position, the clock was set back, and results may be in its future.
  const to =
    row.position_at === null
      ? Math.max(now, row.last_result_id === null ? 0 : idTime(row.last_result_id))
      : Math.max(row.position_at, startedAt);
  return {
    from: firstIdAt(Math.max(0, to - longestMs)),
    before: firstIdAt(to + 1),
    outcome: outcomeCodes.encode(outcomeOf[(row.status ?? 'passing') as CheckStatus]),
    startedAt,
  };
}

/** Changes of a state by an alert. */
export type AlertedColumns = Pick<CheckStatesTable, 'alerted'> & IncidentColumns & FlappingColumns;

const stateUpdate = { table: 'check_states', keys: ['account_id', 'check_id'] } as const;

/** How an alert changes the row of a state. */
export const alertedUpdate = {
  ...stateUpdate,
  set: [
    'alerted',
    'incident_id',
    'incident_started_at',
    'acknowledged_at',
    'flapping',
    'flapping_since',
    'flapping_due_at',
  ],
  also: (given: (column: 'alerted') => string) =>
    `suppressed_by = CASE WHEN check_states.alerted IS NOT DISTINCT FROM ${given('alerted')}
       THEN check_states.suppressed_by END,
     revision = check_states.revision + 1`,
} as const;

/** How the row of a state shows what suppresses its alert. */
export const suppressorUpdate = {
  ...stateUpdate,
  set: ['suppressed_by'],
  also: () => 'revision = check_states.revision + 1',
} as const;

/** Rows that notifying about a state reads and writes. */
export interface JudgeStatesRows extends NotifyRows, IncidentRows {
  writeAlerted(row: CheckStatesTable, columns: AlertedColumns): void;
}

/**
 * What suppresses the due alert of a state; null = nothing does.
 * @returns also whether the row shows something else
 */
export function suppressionOfRow(
  rows: SuppressionRows,
  row: CheckStatesTable,
  context: CheckContext,
  now: number,
): { readonly by: Suppressor | null; readonly isNew: boolean } {
  const present = suppressorOfRow(row);
  const by = suppressorIn(rows, context, stateOf(row), present, now);
  return { by, isNew: by !== null && (by.checkId !== present?.checkId || by.until !== present.until) };
}

/** A locked state whose alert is due, with the result that the alert describes. */
export interface LockedState {
  readonly row: CheckStatesTable;
  readonly result: ResultsTable;
  readonly context: CheckContext;
  readonly due: DueAlert;
}

/** Notifies the channels, as a result would. */
export function notifyStanding(rows: JudgeStatesRows, held: LockedState, rules: NotifyRules): OpenedAlert | null {
  const { row, due, context } = held;
  const before = stateOf(row);
  const state = due.opens === null ? before : alertedOf(before, due.opens);
  const moment = { row, alerted: before.alerted, everyMs: due.everyMs, now: rules.now };
  const step: StateStep = { state, change: null, opens: due.opens, isMoved: true };
  const { columns: flapping, tidings } =
    due.opens === null ? passFlapping(moment, state, due.rules.isMuted) : changeFlapping(moment, step);
  // It was due too early, or the check is muted.
  const isSame = flapping.flapping === row.flapping && flapping.flapping_due_at === row.flapping_due_at;
  if (due.opens === null && !due.isEscalationDue && tidings?.message == null && isSame) return null;
  const changed = { row, before, after: state, check: context.check, resultId: held.result.id };
  const { incident, columns } = recordIncident(rows, changed, rules.now);
  rows.writeAlerted(row, { alerted: state.alerted, ...columns, ...flapping });
  const notified = notifyChannels(
    rows,
    {
      attempt: attemptOf(held),
      resultId: idText(held.result.id),
      before,
      step,
      incident,
      tidings,
    },
    rules,
  );
  return { context, ...notified };
}

/** A recorded result, as far as alerts describe it. */
export function attemptOf({ result, context, due }: Omit<LockedState, 'row'>): EndedAttempt {
  const outcome = outcomeCodes.decode(result.outcome);
  const id = idText(result.id);
  return {
    run: {
      accountId: idText(result.account_id),
      checkId: idText(result.check_id),
      id,
      location: result.location,
      source: sourceCodes.decode(result.source),
      slotAt: null,
      intervalMs: result.interval_ms,
      attempt: result.attempt,
      dueAt: result.started_at,
      firstStartedAt: result.started_at,
      batchId: null,
    },
    context,
    finding: {
      verdict: outcome === 'missed' ? 'unknown' : outcome,
      reason: result.reason === null ? null : reasonCodes.decode(result.reason),
      message: result.message,
      startedAt: result.started_at,
      stoppedAt: result.started_at + result.duration_ms,
      responseTimeMs: result.response_us === null ? null : result.response_us / 1000,
      loopDelayMs: result.loop_delay_ms,
      details: result.details === null ? null : unpacked(result.details),
      exchange: null,
      certificate: null,
    },
    outcome,
    retry: null,
    rules: due.rules,
  };
}
