// Heartbeats: checks that wait to be called. What a ping comes to, and what it comes to that there is none (reference
// §4.9, decisions: Heartbeat; docs/decisions/0090).
import type { TimeSpan } from './calendar.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Outcome } from '../results/result.ts';

/** What a ping says; `missing` stands in its place when none came. */
export const pingSignals = ['ping', 'start', 'fail', 'log', 'exit', 'missing'] as const;
export type PingSignal = (typeof pingSignals)[number];

/** When a ping came (reference §4.9): within the period, within the grace after it, later; FAILING says itself that it failed. */
export const pingStates = ['RECEIVED', 'EARLY', 'GRACE', 'LATE', 'FAILING'] as const;
export type PingState = (typeof pingStates)[number];

/** What a heartbeat is looked at by. Instants are epoch ms. */
export interface Heartbeat {
  readonly accountId: string;
  readonly checkId: string;
  /** Check and group are activated. */
  readonly isActive: boolean;
  readonly periodMs: number;
  readonly graceMs: number;
  /** When it is looked at next, at the latest; `neverAt` = not before a ping. */
  readonly dueAt: number;
  /** From when the period counts: the last ping, or what restarted it; null = it was never pinged. */
  readonly timerAt: number | null;
  /** The last ping that restarted the timer; null = none, or from before this was recorded. */
  readonly pingedAt: number | null;
  /** When the job said that it begins; null once it has ended. */
  readonly startedAt: number | null;
  /** Where the newest result stands in time, those included whose ping waits to be judged. */
  readonly resultAt: number | null;
  /** Whether the newest verdict, given or waiting, passed. */
  readonly isPassing: boolean;
  /** Its last deadline was let pass because no ping could reach us. */
  readonly isExcused: boolean;
}

/** Further ahead than any clock. */
export const neverAt = 8_000_000_000_000_000;
/** How long after its deadline a heartbeat is looked at, ms: a ping that came in time is durable by then. */
export const settleMs = 1000;
/** What comes this soon after a failing result is no other one, ms: the failure counts. */
const afterFailureMs = 1000;
/** Pings of one heartbeat that are judged in one turn at most. */
export const waitingMost = 20;

/** When a heartbeat is overdue without another ping, epoch ms; null while nothing is expected. */
export function deadlineOf({ isActive, timerAt, periodMs, graceMs }: Heartbeat): number | null {
  return isActive && timerAt !== null ? timerAt + periodMs + graceMs : null;
}

/** When a heartbeat whose timer stands is looked at. */
export function lookAt(heartbeat: Heartbeat): number {
  const deadline = deadlineOf(heartbeat);
  return deadline === null ? neverAt : deadline + settleMs;
}

/** A ping as it was received. */
export interface ReceivedSignal {
  readonly signal: Exclude<PingSignal, 'missing'>;
  /** Of `exit`. */
  readonly exitCode: number | null;
  /** Epoch ms. */
  readonly at: number;
}

/** What a ping comes to. */
export interface PingStep {
  readonly state: PingState;
  /** Never before the newest result. */
  readonly at: number;
  /** What is judged of it; null = it is an event and nothing more. */
  readonly judged: {
    readonly isFailure: boolean;
    readonly intervalMs: number | null;
    readonly tookMs: number | null;
  } | null;
  /** A deadline that was over before it, and not judged yet: it comes first. */
  readonly missed: MissedDeadline | null;
  readonly heartbeat: Heartbeat;
}

/** A deadline that a late ping found not judged. */
export interface MissedDeadline {
  /** The deadline; never before the newest result. Epoch ms. */
  readonly at: number;
  readonly intervalMs: number;
  /** From the timer's begin to the deadline, ms. */
  readonly expectedMs: number;
  readonly wasExcused: boolean;
}

/**
 * Takes up a ping. It is judged when it is the first, when it says that the job failed, when the check does not pass, and
 * when half a period is over since the last result: whoever pings a thousand times a second makes events, and few results. A
 * deadline that was over and not judged is not undone by it.
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
  const isNews = isPassing ? isFailure || sinceMs >= periodMs / 2 : sinceMs >= afterFailureMs;
  const timed = { ...heartbeat, startedAt: null, timerAt: at, pingedAt: at, isExcused: false };
  if (!isActive) return { ...event, state, heartbeat: { ...heartbeat, startedAt: null, timerAt: at, pingedAt: at } };
  // Most pings leave the row where it is looked for: that it is not due yet is found out then.
  if (!isNews) return { ...event, state, heartbeat: { ...timed, dueAt: Math.min(timed.dueAt, lookAt(timed)) } };
  // What is known good by this ping is the time since the last result, unless that one failed.
  const isKnown = resultAt !== null && (isFailure || isPassing);
  return {
    state,
    at,
    judged: {
      isFailure,
      intervalMs: isKnown ? at - resultAt : null,
      tookMs: startedAt === null ? null : Math.max(0, at - startedAt),
    },
    missed,
    heartbeat: { ...timed, resultAt: at, isPassing: !isFailure, dueAt: Math.min(timed.dueAt, at) },
  };
}

/** A second and more after it: a ping that came in time but was written later is not taken for one that is late. */
function missedBefore(heartbeat: Heartbeat, at: number): MissedDeadline | null {
  const { timerAt, resultAt, isExcused } = heartbeat;
  const deadline = deadlineOf(heartbeat);
  if (deadline === null || timerAt === null || at <= deadline + settleMs) return null;
  return {
    at: Math.max(deadline, resultAt ?? 0),
    intervalMs: Math.max(0, deadline - (resultAt ?? timerAt)),
    expectedMs: deadline - timerAt,
    wasExcused: isExcused,
  };
}

function stateAt({ timerAt, periodMs, graceMs }: Heartbeat, at: number): PingState {
  if (timerAt === null) return 'RECEIVED';
  if (at < timerAt + periodMs) return 'EARLY';
  return at <= timerAt + periodMs + graceMs ? 'GRACE' : 'LATE';
}

/** Times in which no ping could be received, seen as one. Epoch ms. */
export interface DeafSpan {
  readonly from: number;
  readonly to: number;
  /** How long no ping could be received between the two, ms: less than their distance where gaps were joined. */
  readonly ms: number;
}

/** What is to be known of the time before a deadline. */
export interface Reach {
  /** The times in which no ping could be received, oldest first. */
  readonly deaf?: readonly DeafSpan[];
  /** The last time in which checks were not run, that a planned one of a span lies in; asked when a deadline is over. */
  readonly pausedIn?: (span: TimeSpan) => TimeSpan | null;
  /** The newest sign that pings can be received, epoch ms; null = there never was one. */
  readonly heardAt?: number | null;
  /** Checks are not run for now: then nothing is missing. */
  readonly isPaused?: boolean;
}

/** When a deadline is looked at again that no sign is newer than: often at first, for there is one every second, ms. */
const [lookAgainMs, lookRarelyMs, silentMs] = [500, 5000, 15_000] as const;

/** Longer without a sign, when a ping is judged that came after it, is taken for a gap, ms: there is one every second. */
const returnMs = 2500;

/** What became of a deadline that is over. */
export interface Overdue {
  readonly outcome: Extract<Outcome, 'failed' | 'unknown'>;
  /** The deadline. */
  readonly at: number;
  readonly intervalMs: number;
  /** Why it is `unknown`; a time = no ping could be received in it. */
  readonly excuse: 'maintenance' | DeafSpan | null;
}

/** When what is expected began and is over, and whether the deadline before was let pass. */
interface Expected {
  readonly timerAt: number;
  readonly deadline: number;
  readonly periodMs: number;
  readonly isExcused: boolean;
}

/** Why a deadline is let pass, and from when its period counts anew; null = it is not. */
function excuseOf(
  { timerAt, deadline, periodMs, isExcused }: Expected,
  now: number,
  { deaf = [], pausedIn, isPaused = false }: Reach,
): { readonly excuse: 'maintenance' | DeafSpan; readonly timerAt: number } | null {
  if (isPaused) return { excuse: 'maintenance', timerAt: now };
  const span = { from: timerAt + periodMs / 2, to: deadline };
  const againMs = Math.max(periodMs / 2, (span.to - span.from) / 2);
  const gap = deafIn(deaf, timerAt, span);
  if (gap !== null && (!isExcused || gap.ms >= againMs)) return { excuse: gap, timerAt: Math.max(timerAt, gap.to) };
  const paused = pausedIn?.(span) ?? null;
  const excuses = paused !== null && paused.to > span.from && paused.from < span.to;
  if (!excuses || (isExcused && paused.to - paused.from < againMs)) return null;
  return { excuse: 'maintenance', timerAt: Math.max(timerAt, paused.to) };
}

/** The gaps that a part of `span` lies in, as one, as far as they lie after `timerAt`; null = there are none. */
function deafIn(deaf: readonly DeafSpan[], timerAt: number, span: TimeSpan): DeafSpan | null {
  const touching = deaf.filter(({ from, to }) => to > span.from && from < span.to);
  const [first, last] = [touching[0], touching.at(-1)];
  if (first === undefined || last === undefined) return null;
  const ms = touching.reduce((sum, gap) => {
    const share = (gap.to - Math.max(gap.from, timerAt)) / (gap.to - gap.from);
    return sum + gap.ms * Math.min(1, share);
  }, 0);
  return { from: first.from, to: last.to, ms };
}

/** What a deadline came to that a late ping found not judged. */
export function judgeMissed(
  { periodMs }: Heartbeat,
  { at, intervalMs, expectedMs, wasExcused }: MissedDeadline,
  now: number,
  reach: Reach,
): Overdue {
  const expected = { timerAt: at - expectedMs, deadline: at, periodMs, isExcused: wasExcused };
  // Who received the ping may not have said yet that it is back.
  const { heardAt = null, deaf = [] } = reach;
  const isBack = heardAt !== null && heardAt < at && now - heardAt > returnMs;
  const gap = isBack ? [{ from: heardAt, to: now, ms: now - heardAt }] : [];
  const excused = excuseOf(expected, now, { ...reach, deaf: [...deaf, ...gap] });
  return { at, intervalMs, outcome: excused === null ? 'failed' : 'unknown', excuse: excused?.excuse ?? null };
}

/**
 * Looks at a heartbeat whose time has come: what its deadline came to, if it is over, and when it is looked at next. A
 * deadline before which a ping may have come in vain is let pass once, and counts anew from when pings could be received
 * again; after that only if no ping could be received for at least half of the time in which one was expected, or
 * restarts again and again would keep it silent for ever. A maintenance window in which checks are not run is such a
 * time, too.
 */
export function lookAtHeartbeat(
  heartbeat: Heartbeat,
  now: number,
  reach: Reach = {},
): { readonly overdue: Overdue | null; readonly heartbeat: Heartbeat } {
  const { timerAt, periodMs, resultAt, isExcused } = heartbeat;
  const { heardAt = null } = reach;
  const deadline = deadlineOf(heartbeat);
  if (deadline === null || timerAt === null || now < deadline + settleMs) {
    return { overdue: null, heartbeat: { ...heartbeat, dueAt: lookAt(heartbeat) } };
  }
  const intervalMs = Math.max(0, deadline - (resultAt ?? timerAt));
  const overdue = { at: Math.max(deadline, resultAt ?? 0), intervalMs };
  // Whether a ping could have come up to then is known once there is a sign that is newer.
  if (heardAt !== null && heardAt < deadline) {
    const pauseMs = now - heardAt > silentMs ? lookRarelyMs : lookAgainMs;
    return { overdue: null, heartbeat: { ...heartbeat, dueAt: now + pauseMs } };
  }
  const excused = excuseOf({ timerAt, deadline, periodMs, isExcused }, now, reach);
  const next: Heartbeat = {
    ...heartbeat,
    timerAt: excused?.timerAt ?? now,
    isExcused: excused !== null && (isExcused || reach.isPaused !== true),
    isPassing: excused !== null && heartbeat.isPassing,
    resultAt: overdue.at,
  };
  return {
    overdue: { ...overdue, outcome: excused === null ? 'failed' : 'unknown', excuse: excused?.excuse ?? null },
    heartbeat: { ...next, dueAt: lookAt(next) },
  };
}

/** A heartbeat as its check's settings name it (reference §4.9). */
export interface HeartbeatSettings {
  readonly periodMs: number;
  readonly graceMs: number;
  /** UUID that allows to ping; '' = it has none yet. */
  readonly pingToken: string;
}

export const timeUnits = ['seconds', 'minutes', 'hours', 'days'] as const;
const unitMs: Readonly<Record<string, number>> = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** Reads the settings of a heartbeat check. What is no number counts as none. */
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

/** A ping, or that none came. */
export interface PingEvent {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly signal: PingSignal;
  readonly exitCode: number | null;
  readonly state: PingState;
  /** '' when none came. */
  readonly method: string;
  readonly source: string | null;
  readonly userAgent: string | null;
  readonly body: string | null;
}

/** A ping that is judged. */
export interface JudgedPing extends Omit<PingEvent, 'id' | 'body'> {
  readonly isFailure: boolean;
  /** How long the job took, where it told its start, ms. */
  readonly tookMs: number | null;
  /** The first line of its body. */
  readonly note: string | null;
}
