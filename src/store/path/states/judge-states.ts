// States that are judged without a result: which they are, and what is told once something is due, written once for every
// engine over the rows of one transaction (docs/decisions/0100).
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
import { stateOf } from '../record/check-state-rows.ts';
import { firstIdAt, type IdBytes, idBytes, idText, idTime } from '../../base/codec.ts';
import { outcomeCodes, reasonCodes, sourceCodes } from '../../base/codes.ts';
import { unpacked } from '../../base/packed.ts';
import type { CheckStatesTable, ResultsTable } from '../../base/tables/schema.ts';
import { tellChannels, type TellRows, type TellRules } from '../record/tell-channels.ts';

/** Whose state it is. */
export interface StateKey {
  readonly accountId: string;
  readonly checkId: string;
}

/** A state that is not told as it stands, and what it is judged by. */
export interface StandingState {
  readonly state: CheckState;
  readonly context: CheckContext;
  /** The slot, or start, of the newest result, epoch ms; null = there is none. */
  readonly lookedAt: number | null;
}

/** What is due, and the rules of the present by which it is. */
export interface DueAlert {
  readonly opens: NonNullable<StateStep['opens']>;
  readonly rules: StateRules;
}

/** How states are judged. */
export interface JudgeStatesRules extends TellRules {
  /** Goes on after this one; null = from the first. */
  readonly after: StateKey | null;
  /** null = nothing is due. May be asked twice of a state. */
  readonly judge: (standing: StandingState) => DueAlert | null;
}

/** An alert that was opened. */
export interface OpenedAlert {
  readonly context: CheckContext;
  readonly alertTypes: readonly AlertType[];
  readonly deliveries: number;
}

/** What a slice came to. */
export interface JudgedStates {
  readonly opened: readonly OpenedAlert[];
  /** Where the next slice begins; null = that was the last. */
  readonly next: StateKey | null;
}

/**
 * States that a slice looks at, at most: what they depend on may have to be read anew, and each may be due, all of which
 * holds the loop.
 */
export const statesAtOnce = 60;

/** A key of a slice. */
export interface SliceRow {
  readonly account_id: IdBytes;
  readonly check_id: IdBytes;
  /** Whether its check runs, and is not muted by itself or its group. */
  readonly is_open: number;
}

/**
 * The statement of a slice: states that are not passing, and not told as they stand, in the order of their keys. Those that
 * stay muted cost no more than this.
 *
 * @param hint follows the table, where the engine is told which index it is
 */
export function sliceStatement([accountId, checkId, most]: readonly [string, string, string], hint = ''): string {
  return `SELECT k.account_id, k.check_id, CASE WHEN c.activated = 1 AND c.muted = 0 AND coalesce(g.activated, 1) = 1
      AND coalesce(g.muted, 0) = 0 THEN 1 ELSE 0 END AS is_open
    FROM (SELECT account_id, check_id FROM check_states ${hint}
          WHERE status <> 'passing' AND alerted IS DISTINCT FROM status AND (account_id, check_id) > (${accountId}, ${checkId})
          ORDER BY account_id, check_id LIMIT ${most}) k
    LEFT JOIN checks c ON c.account_id = k.account_id AND c.id = k.check_id
    LEFT JOIN check_groups g ON g.account_id = c.account_id AND g.id = c.group_id
    ORDER BY k.account_id, k.check_id`;
}

const beforeAll = new Uint8Array();

/** Where a slice begins, as its statement takes it. */
export function startOf(after: StateKey | null): readonly [IdBytes, IdBytes] {
  return after === null ? [beforeAll, beforeAll] : [idBytes(after.accountId), idBytes(after.checkId)];
}

/** Where the slice after these rows begins; null = there is none. */
export function nextOf(rows: readonly SliceRow[]): StateKey | null {
  const last = rows.length === statesAtOnce ? rows.at(-1) : undefined;
  return last === undefined ? null : keyOfRow(last);
}

/** The key of a row: the slice after it begins there. */
export function keyOfRow({ account_id, check_id }: Pick<SliceRow, 'account_id' | 'check_id'>): StateKey {
  return { accountId: idText(account_id), checkId: idText(check_id) };
}

/** What is judged of a row. */
export function standingOf(row: CheckStatesTable, context: CheckContext): StandingState {
  return {
    state: stateOf(row),
    context,
    lookedAt: row.last_result_id === null ? null : idTime(row.last_result_id),
  };
}

const outcomeOf: Readonly<Record<CheckStatus, Outcome>> = {
  passing: 'passed',
  degraded: 'degraded',
  failing: 'failed',
};
/** Rounds of several locations that are a day apart, and some of them. */
const longestMs = 4 * 86_400_000;
/** Results that are looked through for the one that found it so: those of some rounds of many locations. */
export const lookedThrough = 200;

/** Where the result lies that an alert of a state tells of: the newest up to the state's position that found it so. */
export interface Found {
  /** Ids from `from` on, and below `before`. */
  readonly from: IdBytes;
  readonly before: IdBytes;
  readonly outcome: number;
  /** Begun then it is that one, though others be newer; epoch ms. */
  readonly startedAt: number;
}

export function foundBy(row: CheckStatesTable, now: number): Found {
  const startedAt = row.position_started_at ?? now;
  // Without a position the clock was set back, and results may be ahead of it.
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

/** The rows that telling of a state reads and writes. */
export interface JudgeStatesRows extends TellRows {
  writeAlerted(row: CheckStatesTable, alerted: CheckState['alerted']): void;
}

/** A state whose alert is due, held, with the result that the alert tells of. */
export interface HeldState {
  readonly row: CheckStatesTable;
  readonly result: ResultsTable;
  readonly context: CheckContext;
  readonly due: DueAlert;
}

/** Tells the channels, as a result would. */
export function tellStanding(rows: JudgeStatesRows, held: HeldState, rules: TellRules): OpenedAlert {
  const { row, due, context } = held;
  const before = stateOf(row);
  const state = alertedOf(before, due.opens);
  rows.writeAlerted(row, state.alerted);
  const told = tellChannels(
    rows,
    {
      attempt: attemptOf(held),
      resultId: idText(held.result.id),
      before,
      step: { state, change: null, opens: due.opens, isMoved: true },
    },
    rules,
  );
  return { context, ...told };
}

/** A recorded result as it was when it ended, as far as alerts tell of it. */
export function attemptOf({ result, context, due }: Omit<HeldState, 'row'>): EndedAttempt {
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
