// Flapping: a check that changes its alerted state too often, and when channels with grouping receive a message
// (docs/decisions/0138). Instants are epoch ms, durations ms.
import type { CheckState, StateStep } from '../checks/check-state.ts';

/** A check flaps after more changes than this within the window. */
export const changesTolerated = 4;
/** Shortest window, ms. */
export const shortestWindowMs = 15 * 60_000;
/** Time between two messages about a flapping check, ms: the longest time that a change is held back. */
export const messageEveryMs = 10 * 60_000;
/** Shortest time without changes that ends it, ms. */
export const shortestCalmMs = 10 * 60_000;
/** Time after which the waiting message of a muted check is considered again, ms. */
export const mutedAgainMs = 30_000;
const [windowIntervals, calmIntervals] = [10, 3];
/** Number of ended failures to remember; a failure is forgotten after a later one that lasted longer. */
const failuresKept = 20;

type Alerted = CheckState['alerted'];

/** A state other than passing that has ended. */
export interface EndedFailure {
  readonly state: NonNullable<Alerted>;
  readonly endedAt: number;
  readonly lastedMs: number;
}

/** What is known of the changes of a check. */
export interface Flapping {
  /** Its last changes within the window, oldest first; as many as make it flap. */
  readonly changes: readonly number[];
  /** Its last change; null = none is known. */
  readonly changedAt: number | null;
  /** Oldest first. */
  readonly failures: readonly EndedFailure[];
  /** Since when it flaps; null = it does not. */
  readonly since: number | null;
  /** When its channels were last notified. */
  readonly notifiedAt: number;
  /** Changes since then. */
  readonly unreported: number;
  /** Whether channels wait for a message, at the latest `messageEveryMs` after the last one. */
  readonly isWaiting: boolean;
  /** Whether its channels were notified that the present failure lasts. */
  readonly isLastingNotified: boolean;
}

export const calm: Flapping = {
  changes: [],
  changedAt: null,
  failures: [],
  since: null,
  notifiedAt: 0,
  unreported: 0,
  isWaiting: false,
  isLastingNotified: false,
};

/** A check that flaps, or stops flapping now. */
export interface FlappingTidings {
  /** Epoch ms. */
  readonly since: number;
  /** The message that is due; null = alerts wait. */
  readonly message: FlappingMessage | null;
  /** Changes that the message is about. */
  readonly changes: number;
  /** When waiting alerts are sent, epoch ms. */
  readonly dueAt: number;
  /** What was alerted before. */
  readonly alerted: CheckState['alerted'];
  /** The open incident, or the one that ends now; null = none. */
  readonly incidentId: string | null;
  /** Whether the message is due because time passed: no alert was raised. */
  readonly isTimed: boolean;
}

/** What happened to a check. */
export type FlappingEvent =
  | {
      /** A result, or the end of an escalation or mute. */
      readonly type: 'judged';
      readonly before: Alerted;
      readonly after: Alerted;
      /** Whether its status became passing, also without an alert to close. */
      readonly isRecovered: boolean;
    }
  | {
      /** Time passed. */
      readonly type: 'time';
      readonly alerted: Alerted;
      /** Muted or deactivated, and not passing: no message about the failure. The end waits if the last change was not reported. */
      readonly isSilenced: boolean;
      readonly isAcknowledged: boolean;
    };

/**
 * What a message to channels with grouping is about: it began to flap, a failure lasts longer than all before, the
 * changes since the last message, or it is calm.
 */
export type FlappingMessage = 'began' | 'lasts' | 'changed' | 'ended';

export interface FlappingStep {
  readonly state: Flapping;
  /** null = changes wait. */
  readonly message: FlappingMessage | null;
  /** Changes that the message is about. */
  readonly changes: number;
}

/** The time in which changes and failures count. */
export function windowMs(everyMs: number): number {
  return Math.max(shortestWindowMs, windowIntervals * everyMs);
}

/** The time without changes after which a check is calm. */
export function calmMs(everyMs: number): number {
  return Math.max(shortestCalmMs, calmIntervals * everyMs);
}

/**
 * Folds an event into what is known.
 *
 * @param everyMs interval of the check, or the period and grace of a heartbeat
 */
export function flappingStep(before: Flapping, event: FlappingEvent, now: number, everyMs: number): FlappingStep {
  const state = at(before, now, everyMs);
  if (event.type === 'time') return timeStep(state, event, now, everyMs);
  if (event.before === event.after) {
    return quiet(event.isRecovered && state.since !== null ? { ...state, isWaiting: true } : state);
  }
  const changed = withChange(state, event.before, now);
  // It was calm before, but muted.
  if (isCalm(state, now, everyMs) && event.after === null) return end(changed);
  if (changed.since === null) {
    if (changed.changes.length <= changesTolerated) return quiet(changed);
    return notified({ ...changed, since: now }, 'began', now);
  }
  const isUsual = event.after === null || changed.failures.some(({ state: ended }) => ended === event.after);
  return isUsual
    ? quiet({ ...changed, isWaiting: true })
    : notified({ ...changed, isLastingNotified: true }, 'lasts', now);
}

/** When time alone can cause a message or the end; null = never. It may be due earlier than it says, never later. */
export function flappingDueAt(
  { changedAt, failures, since, notifiedAt, isWaiting, isLastingNotified }: Flapping,
  alerted: Alerted,
  everyMs: number,
): number | null {
  if (since === null) return null;
  const from = changedAt ?? since;
  const messageAt = isWaiting ? notifiedAt + messageEveryMs : Infinity;
  const lastsAt = failures
    .filter(({ state }) => state === alerted)
    .map(({ endedAt, lastedMs }) => Math.min(endedAt + windowMs(everyMs), from + lastedMs + 1));
  const isLasting = alerted !== null && !isLastingNotified;
  return Math.min(from + calmMs(everyMs), messageAt, isLasting ? Math.max(from, ...lastsAt) : Infinity);
}

function timeStep(
  state: Flapping,
  { alerted, isSilenced, isAcknowledged }: Extract<FlappingEvent, { type: 'time' }>,
  now: number,
  everyMs: number,
): FlappingStep {
  if (state.since === null) return quiet(state);
  const lastsMs = now - (state.changedAt ?? state.since);
  if (isCalm(state, now, everyMs) && !(isSilenced && state.isWaiting)) return end(state);
  if (isSilenced) return quiet(state);
  if (alerted !== null && !state.isLastingNotified && !isAcknowledged) {
    const isLonger = state.failures.every((ended) => ended.state !== alerted || ended.lastedMs < lastsMs);
    if (isLonger) return notified({ ...state, isLastingNotified: true }, 'lasts', now);
  }
  return state.isWaiting && now - state.notifiedAt >= messageEveryMs ? notified(state, 'changed', now) : quiet(state);
}

function isCalm({ since, changedAt }: Flapping, now: number, everyMs: number): boolean {
  return since !== null && now - (changedAt ?? since) >= calmMs(everyMs);
}

/** The next change is reported at once: earlier ones do not count again. */
function end({ changedAt, unreported }: Flapping): FlappingStep {
  return { state: { ...calm, changedAt }, message: 'ended', changes: unreported };
}

function quiet(state: Flapping): FlappingStep {
  return { state, message: null, changes: 0 };
}

function notified(state: Flapping, message: FlappingMessage, now: number): FlappingStep {
  const changes = message === 'began' ? state.changes.length : state.unreported;
  return { state: { ...state, notifiedAt: now, unreported: 0, isWaiting: false }, message, changes };
}

/** Without what no longer counts. Instants in the future (the clock was set back) become the present. */
function at(
  { changes, changedAt, failures, since, notifiedAt, ...state }: Flapping,
  now: number,
  everyMs: number,
): Flapping {
  const from = now - windowMs(everyMs);
  return {
    ...state,
    changes: changes.map((instant) => Math.min(instant, now)).filter((instant) => instant > from),
    changedAt: changedAt === null ? null : Math.min(changedAt, now),
    failures: failures
      .map((ended) => ({ ...ended, endedAt: Math.min(ended.endedAt, now) }))
      .filter(({ endedAt }) => endedAt > from),
    since: since === null ? null : Math.min(since, now),
    notifiedAt: Math.min(notifiedAt, now),
  };
}

/** @param from the alerted state that ends */
function withChange(state: Flapping, from: Alerted, now: number): Flapping {
  const lastedMs = now - (state.changedAt ?? now);
  const longer = state.failures.filter((ended) => ended.state !== from || ended.lastedMs > lastedMs);
  return {
    ...state,
    changes: [...state.changes, now].slice(-changesTolerated - 1),
    changedAt: now,
    failures:
      from === null ? state.failures : [...longer, { state: from, endedAt: now, lastedMs }].slice(-failuresKept),
    unreported: state.unreported + 1,
    isLastingNotified: false,
  };
}

/** What is known after an event, when time can cause a message, and what channels receive; null = it does not flap. */
export interface FoldedFlapping {
  readonly state: Flapping;
  readonly dueAt: number | null;
  readonly tidings: Omit<FlappingTidings, 'incidentId'> | null;
}

/** A check at the time of an event. */
export interface FlappingMoment {
  /** What was alerted before. */
  readonly alerted: Alerted;
  readonly everyMs: number;
  readonly now: number;
}

/** Folds a result, or the alert of an escalation. */
export function foldChange(before: Flapping, moment: FlappingMoment, { state, change }: StateStep): FoldedFlapping {
  const { alerted } = moment;
  // Most results change no alert.
  if (alerted === state.alerted && before.since === null) return { state: before, dueAt: null, tidings: null };
  const isRecovered = change?.to === 'passing';
  return fold(before, moment, { type: 'judged', before: alerted, after: state.alerted, isRecovered }, state.alerted);
}

/** Folds the time that passed without an alert. @param isMuted or deactivated */
export function foldTime(
  before: Flapping,
  moment: FlappingMoment,
  { status, acknowledgedAt }: CheckState,
  isMuted: boolean,
): FoldedFlapping {
  const isSilenced = isMuted && status !== 'passing';
  const isAcknowledged = acknowledgedAt !== null;
  const { alerted } = moment;
  return fold(before, moment, { type: 'time', alerted, isSilenced, isAcknowledged }, alerted);
}

function fold(
  before: Flapping,
  { alerted, everyMs, now }: FlappingMoment,
  event: FlappingEvent,
  after: Alerted,
): FoldedFlapping {
  const { state, message, changes } = flappingStep(before, event, now, everyMs);
  const isWaiting = message === null && event.type === 'time' && event.isSilenced;
  const nextAt = flappingDueAt(state, after, everyMs);
  // The last message is about what ends.
  const since = state.since ?? (message === null ? null : before.since);
  const isTimed = event.type === 'time';
  const dueAt = state.notifiedAt + messageEveryMs;
  return {
    state,
    dueAt: nextAt === null ? null : Math.max(nextAt, isWaiting ? now + mutedAgainMs : 0),
    tidings: since === null ? null : { since, message, changes, dueAt, alerted, isTimed },
  };
}
