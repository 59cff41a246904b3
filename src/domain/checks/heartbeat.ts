// Heartbeats: how pings and missing pings are evaluated (reference §4.9, decisions: Heartbeat; docs/decisions/0090).
import type { TimeSpan } from './calendar.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Outcome } from '../results/result.ts';

/** Signal of a ping; `missing` = no ping was received. */
export const pingSignals = ['ping', 'start', 'fail', 'log', 'exit', 'missing'] as const;
export type PingSignal = (typeof pingSignals)[number];

/** Timing of a ping (reference §4.9): within the period, within the grace, later; FAILING = it reports a failure. */
export const pingStates = ['RECEIVED', 'EARLY', 'GRACE', 'LATE', 'FAILING'] as const;
export type PingState = (typeof pingStates)[number];

/** State for evaluating a heartbeat. Times are epoch ms. */
export interface Heartbeat {
  readonly accountId: string;
  readonly checkId: string;
  /** Check and group are activated. */
  readonly isActive: boolean;
  readonly periodMs: number;
  readonly graceMs: number;
  /** Time of the next evaluation at the latest; `neverAt` = not before a ping. */
  readonly dueAt: number;
  /** Start of the current period: the last ping, or a restart of the timer; null = never pinged. */
  readonly timerAt: number | null;
  /** The last ping that restarted the timer; null = none, or it was not recorded. */
  readonly pingedAt: number | null;
  /** When the job reported its start; null once it has ended. */
  readonly startedAt: number | null;
  /** Position of the newest result, including pings that wait to be evaluated. */
  readonly resultAt: number | null;
  /** Whether the newest verdict, recorded or waiting, was passed. */
  readonly isPassing: boolean;
  /** The last deadline was excused because no ping could be received. */
  readonly isExcused: boolean;
}

/** A time that no clock reaches. */
export const neverAt = 8_000_000_000_000_000;
/** Delay of the evaluation after a deadline, ms: a ping that was in time is stored by then. */
export const settleMs = 1000;
/** A result this soon after a failing one is ignored, ms: the failure counts. */
const afterFailureMs = 1000;
/** Maximum number of pings of a heartbeat evaluated per tick. */
export const maxWaiting = 20;

/** Deadline of a heartbeat without another ping, epoch ms; null while nothing is expected. */
export function deadlineOf({ isActive, timerAt, periodMs, graceMs }: Heartbeat): number | null {
  return isActive && timerAt !== null ? timerAt + periodMs + graceMs : null;
}

/** When a heartbeat with a running timer is evaluated. */
export function inspect(heartbeat: Heartbeat): number {
  const deadline = deadlineOf(heartbeat);
  return deadline === null ? neverAt : deadline + settleMs;
}

/** A received ping. */
export interface ReceivedSignal {
  readonly signal: Exclude<PingSignal, 'missing'>;
  /** Code of an `exit` signal. */
  readonly exitCode: number | null;
  /** Epoch ms. */
  readonly at: number;
}

/** Effect of a ping. */
export interface PingStep {
  readonly state: PingState;
  /** Never before the newest result. */
  readonly at: number;
  /** Result to record; null = the ping is only an event. */
  readonly judged: {
    readonly isFailure: boolean;
    readonly intervalMs: number | null;
    readonly tookMs: number | null;
  } | null;
  /** A deadline that passed before it and was not evaluated; it is recorded first. */
  readonly missed: MissedDeadline | null;
  readonly heartbeat: Heartbeat;
}

/** A missed deadline found by a late ping. */
export interface MissedDeadline {
  /** The deadline; never before the newest result. Epoch ms. */
  readonly at: number;
  readonly intervalMs: number;
  /** From the start of the timer to the deadline, ms. */
  readonly expectedMs: number;
  readonly wasExcused: boolean;
}

/**
 * Applies a ping. It produces a result if it is the first, reports a failure, the check is not passing, or half a
 * period has passed since the last result. Frequent pings thus produce events, but few results. A missed deadline is
 * still recorded.
 */
export function takePing(heartbeat: Heartbeat, { signal, exitCode, at: givenAt }: ReceivedSignal): PingStep {
  const { isActive, startedAt, periodMs } = heartbeat;
  const at = Math.max(givenAt, heartbeat.resultAt ?? 0);
  const event = { at, judged: null, missed: null };
  if (signal === 'log') return { ...event, state: 'RECEIVED', heartbeat };
  if (signal === 'start') return { ...event, state: 'RECEIVED', heartbeat: { ...heartbeat, startedAt: at } };
  const isFailure = signal === 'fail' || (exitCode ?? 0) !== 0;
  const state = isFailure ? 'FAILING' : stateAt(heartbeat, at);
  const missed = missedBefore(heartbeat, at);
  const resultAt = missed?.at ?? heartbeat.resultAt;
  const isPassing = missed === null && heartbeat.isPassing;
  const sinceMs = resultAt === null ? Number.POSITIVE_INFINITY : at - resultAt;
  const givesResult = isPassing ? isFailure || sinceMs >= periodMs / 2 : sinceMs >= afterFailureMs;
  const timed = { ...heartbeat, startedAt: null, timerAt: at, pingedAt: at, isExcused: false };
  if (!isActive) return { ...event, state, heartbeat: { ...heartbeat, startedAt: null, timerAt: at, pingedAt: at } };
  // Most pings leave the scheduled evaluation unchanged; the evaluation then finds that nothing is due.
  if (!givesResult) return { ...event, state, heartbeat: { ...timed, dueAt: Math.min(timed.dueAt, inspect(timed)) } };
  // After a deadline that is not evaluated yet, it is unknown whether it will be excused.
  const isKnown = resultAt !== null && missed === null;
  return {
    state,
    at,
    judged: {
      isFailure,
      intervalMs: isKnown ? stretchMs(at - resultAt, isPassing === !isFailure) : null,
      tookMs: startedAt === null ? null : Math.max(0, at - startedAt),
    },
    missed,
    heartbeat: { ...timed, resultAt: at, isPassing: !isFailure, dueAt: Math.min(timed.dueAt, at) },
  };
}

/**
 * The time before a result, which counts by the state in which it passed: the job was fine until its deadline, and was
 * not until the ping that ends a failure. Negative = the opposite of the result.
 */
function stretchMs(ms: number, isSame: boolean): number {
  return isSame || ms === 0 ? ms : -ms;
}

/** A second or more later: a ping that was in time but stored later must not count as late. */
function missedBefore(heartbeat: Heartbeat, at: number): MissedDeadline | null {
  const { timerAt, resultAt, isExcused, isPassing } = heartbeat;
  const deadline = deadlineOf(heartbeat);
  if (deadline === null || timerAt === null || at <= deadline + settleMs) return null;
  return {
    at: Math.max(deadline, resultAt ?? 0),
    intervalMs: stretchMs(Math.max(0, deadline - (resultAt ?? timerAt)), resultAt !== null && !isPassing),
    expectedMs: deadline - timerAt,
    wasExcused: isExcused,
  };
}

function stateAt({ timerAt, periodMs, graceMs }: Heartbeat, at: number): PingState {
  if (timerAt === null) return 'RECEIVED';
  if (at < timerAt + periodMs) return 'EARLY';
  return at <= timerAt + periodMs + graceMs ? 'GRACE' : 'LATE';
}

/** Periods in which no ping could be received, merged into one. Epoch ms. */
export interface ReceptionGap {
  readonly from: number;
  readonly to: number;
  /** Total time without reception between the two, ms; less than their distance if gaps were merged. */
  readonly ms: number;
}

/** What is known of the time before a deadline. */
export interface Reach {
  /** Periods in which no ping could be received, oldest first. */
  readonly gaps?: readonly ReceptionGap[];
  /** Finds the last pause of checks that overlaps a time range; called once a deadline has passed. */
  readonly pausedIn?: (span: TimeSpan) => TimeSpan | null;
  /** Time of the newest record of reception, epoch ms; null = none. */
  readonly receivingAt?: number | null;
  /** Checks are paused now, so nothing is missing. */
  readonly isPaused?: boolean;
}

/** Delay before a deadline without a newer record of reception is evaluated again, ms. */
const [retryMs, slowPollMs, silentMs] = [500, 5000, 15_000] as const;

/** When a later ping is evaluated, a longer time without a record counts as a gap, ms: there is one every second. */
const returnMs = 2500;

/** Outcome of a deadline that has passed. */
export interface Overdue {
  readonly outcome: Extract<Outcome, 'failed' | 'unknown'>;
  /** The deadline; if it is excused, when pings are expected again. */
  readonly at: number;
  /** As `intervalMs` of a result. */
  readonly intervalMs: number;
  /** Why it is `unknown`: a pause, or a time in which no ping could be received. */
  readonly excuse: 'maintenance' | ReceptionGap | null;
}

/** Start of the expected period, its deadline, and whether the previous deadline was excused. */
interface Expected {
  readonly timerAt: number;
  readonly deadline: number;
  readonly periodMs: number;
  readonly isExcused: boolean;
}

/** Why a deadline is excused and when its new period starts; null = it is not. */
function excuseOf(
  { timerAt, deadline, periodMs, isExcused }: Expected,
  now: number,
  { gaps = [], pausedIn, isPaused = false }: Reach,
): { readonly excuse: 'maintenance' | ReceptionGap; readonly timerAt: number } | null {
  if (isPaused) return { excuse: 'maintenance', timerAt: now };
  const span = { from: timerAt + periodMs / 2, to: deadline };
  const againMs = Math.max(periodMs / 2, (span.to - span.from) / 2);
  const gap = gapsIn(gaps, timerAt, span);
  if (gap !== null && (!isExcused || gap.ms >= againMs)) return { excuse: gap, timerAt: Math.max(timerAt, gap.to) };
  const paused = pausedIn?.(span) ?? null;
  const excuses = paused !== null && paused.to > span.from && paused.from < span.to;
  if (!excuses || (isExcused && paused.to - paused.from < againMs)) return null;
  return { excuse: 'maintenance', timerAt: Math.max(timerAt, paused.to) };
}

/** The gaps that overlap `span`, merged, as far as they are after `timerAt`; null = none. */
function gapsIn(gaps: readonly ReceptionGap[], timerAt: number, span: TimeSpan): ReceptionGap | null {
  const touching = gaps.filter(({ from, to }) => to > span.from && from < span.to);
  const [first, last] = [touching[0], touching.at(-1)];
  if (first === undefined || last === undefined) return null;
  const ms = touching.reduce((sum, gap) => {
    const share = (gap.to - Math.max(gap.from, timerAt)) / (gap.to - gap.from);
    return sum + gap.ms * Math.min(1, share);
  }, 0);
  return { from: first.from, to: last.to, ms };
}

/** Outcome of a deadline found missed by a late ping. */
export function judgeMissed(
  { periodMs }: Heartbeat,
  { at, intervalMs, expectedMs, wasExcused }: MissedDeadline,
  now: number,
  reach: Reach,
): Overdue {
  const expected = { timerAt: at - expectedMs, deadline: at, periodMs, isExcused: wasExcused };
  // The process that received the ping may not have recorded its reception yet.
  const { receivingAt = null, gaps = [] } = reach;
  const isBack = receivingAt !== null && receivingAt < at && now - receivingAt > returnMs;
  const gap = isBack ? [{ from: receivingAt, to: now, ms: now - receivingAt }] : [];
  const excused = excuseOf(expected, now, { ...reach, gaps: [...gaps, ...gap] });
  return excused === null
    ? { at, intervalMs, outcome: 'failed', excuse: null }
    : { at, intervalMs: Math.abs(intervalMs), outcome: 'unknown', excuse: excused.excuse };
}

/**
 * Evaluates a due heartbeat: the outcome of its deadline if it has passed, and the time of the next evaluation. A
 * deadline before which pings could not be received is excused once and starts again when reception resumes. It is
 * excused again only if reception failed for at least half of the expected period; otherwise repeated restarts would
 * silence the check forever. Pauses by a maintenance window count the same.
 */
export function evaluateHeartbeat(
  heartbeat: Heartbeat,
  now: number,
  reach: Reach = {},
): { readonly overdue: Overdue | null; readonly heartbeat: Heartbeat } {
  const { timerAt, periodMs, resultAt, isExcused } = heartbeat;
  const { receivingAt = null } = reach;
  const deadline = deadlineOf(heartbeat);
  if (deadline === null || timerAt === null || now < deadline + settleMs) {
    return { overdue: null, heartbeat: { ...heartbeat, dueAt: inspect(heartbeat) } };
  }
  const since = resultAt ?? timerAt;
  // Whether a ping could have been received is known only once there is a newer record.
  if (receivingAt !== null && receivingAt < deadline) {
    const pauseMs = now - receivingAt > silentMs ? slowPollMs : retryMs;
    return { overdue: null, heartbeat: { ...heartbeat, dueAt: now + pauseMs } };
  }
  const excused = excuseOf({ timerAt, deadline, periodMs, isExcused }, now, reach);
  // Nothing is known until pings are expected again: the next one does not say what was before.
  const until = excused === null ? deadline : Math.min(now, Math.max(deadline, excused.timerAt));
  const overdue = { at: Math.max(until, resultAt ?? 0), intervalMs: Math.max(0, until - since) };
  const next: Heartbeat = {
    ...heartbeat,
    timerAt: excused?.timerAt ?? now,
    isExcused: excused !== null && (isExcused || reach.isPaused !== true),
    isPassing: excused !== null && heartbeat.isPassing,
    resultAt: overdue.at,
  };
  return {
    overdue:
      excused === null
        ? {
            at: overdue.at,
            intervalMs: stretchMs(overdue.intervalMs, resultAt !== null && !heartbeat.isPassing),
            outcome: 'failed',
            excuse: null,
          }
        : { ...overdue, outcome: 'unknown', excuse: excused.excuse },
    heartbeat: { ...next, dueAt: inspect(next) },
  };
}

/** A heartbeat as defined by its check's settings (reference §4.9). */
export interface HeartbeatSettings {
  readonly periodMs: number;
  readonly graceMs: number;
  /** UUID of the ping URL; '' = none yet. */
  readonly pingToken: string;
}

export const timeUnits = ['seconds', 'minutes', 'hours', 'days'] as const;
const unitMs: Readonly<Record<string, number>> = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** Reads the settings of a heartbeat check. Values that are not numbers are ignored. */
export function readHeartbeat(settings: JsonObject): HeartbeatSettings {
  const heartbeat = settings['heartbeat'];
  const fields: JsonObject =
    typeof heartbeat === 'object' && heartbeat !== null && !Array.isArray(heartbeat) ? (heartbeat as JsonObject) : {};
  const token = fields['pingToken'];
  return {
    periodMs: spanOf(fields['period'], fields['periodUnit']),
    graceMs: spanOf(fields['grace'], fields['graceUnit']),
    pingToken: typeof token === 'string' ? token : '',
  };
}

function spanOf(amount: JsonValue | undefined, unit: JsonValue | undefined): number {
  return typeof amount === 'number' && typeof unit === 'string' ? amount * (unitMs[unit] ?? 0) : 0;
}

/** A ping, or a missing one. */
export interface PingEvent {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly signal: PingSignal;
  readonly exitCode: number | null;
  readonly state: PingState;
  /** '' for a missing ping. */
  readonly method: string;
  readonly source: string | null;
  readonly userAgent: string | null;
  readonly body: string | null;
}

/** A ping that produces a result. */
export interface JudgedPing extends Omit<PingEvent, 'id' | 'body'> {
  readonly isFailure: boolean;
  /** Duration of the job if it reported its start, ms. */
  readonly tookMs: number | null;
  /** The first line of its body. */
  readonly note: string | null;
}

/** The newest `max` events, newest first. Missing pings take at most half of them from received ones. */
export function mixedPings(received: readonly PingEvent[], missing: readonly PingEvent[], max: number): PingEvent[] {
  const kept = missing.slice(0, Math.max(Math.floor(max / 2), max - received.length));
  const all = [...received.slice(0, max - kept.length), ...kept];
  // Events of one time keep their order by ID.
  return all.sort((one, other) => (one.id < other.id ? 1 : -1));
}
