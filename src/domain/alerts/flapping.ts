// Flapping: a check that changes its alerted state too often, and when channels with grouping are told of it
// (docs/decisions/0138). Instants are epoch ms, durations ms.
import type { CheckState } from '../checks/check-state.ts';

/** A check flaps after more changes than this within the window. */
export const changesTolerated = 4;
/** Shortest window, ms. */
export const shortestWindowMs = 15 * 60_000;
/** Time between two messages about a flapping check, ms: the longest time that a change is held back. */
export const messageEveryMs = 10 * 60_000;
/** Shortest time without changes that ends it, ms. */
export const shortestCalmMs = 10 * 60_000;
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
  /** When its channels were last told. */
  readonly toldAt: number;
  /** Changes since then. */
  readonly untold: number;
  /** Whether channels wait for a message, at the latest `messageEveryMs` after the last one. */
  readonly isWaiting: boolean;
  /** Whether its present failure was told because it lasts. */
  readonly isLastingTold: boolean;
}

export const calm: Flapping = {
  changes: [],
  changedAt: null,
  failures: [],
  since: null,
  toldAt: 0,
  untold: 0,
  isWaiting: false,
  isLastingTold: false,
};

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
      /** Muted and not passing: only the end is due, and nobody is told. */
      readonly isSilenced: boolean;
      readonly isAcknowledged: boolean;
    };

/**
 * What channels with grouping are told: it began to flap, a failure lasts longer than all before, what changed since
 * the last message, or it is calm.
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
  if (changed.since === null) {
    if (changed.changes.length <= changesTolerated) return quiet(changed);
    return told({ ...changed, since: now }, 'began', now);
  }
  const isUsual = event.after === null || changed.failures.some(({ state: ended }) => ended === event.after);
  return isUsual ? quiet({ ...changed, isWaiting: true }) : told({ ...changed, isLastingTold: true }, 'lasts', now);
}

/** When time alone can cause a message or the end; null = never. It may be due earlier than it says, never later. */
export function flappingDueAt(
  { changedAt, failures, since, toldAt, isWaiting, isLastingTold }: Flapping,
  alerted: Alerted,
  everyMs: number,
): number | null {
  if (since === null) return null;
  const from = changedAt ?? since;
  const messageAt = isWaiting ? toldAt + messageEveryMs : Infinity;
  const lastsAt = failures
    .filter(({ state }) => state === alerted)
    .map(({ endedAt, lastedMs }) => Math.min(endedAt + windowMs(everyMs), from + lastedMs + 1));
  const isLasting = alerted !== null && !isLastingTold;
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
  // The next change is told at once: earlier ones do not count again.
  if (lastsMs >= calmMs(everyMs)) {
    return { state: { ...calm, changedAt: state.changedAt }, message: 'ended', changes: state.untold };
  }
  if (isSilenced) return quiet(state);
  if (alerted !== null && !state.isLastingTold && !isAcknowledged) {
    const isLonger = state.failures.every((ended) => ended.state !== alerted || ended.lastedMs < lastsMs);
    if (isLonger) return told({ ...state, isLastingTold: true }, 'lasts', now);
  }
  return state.isWaiting && now - state.toldAt >= messageEveryMs ? told(state, 'changed', now) : quiet(state);
}

function quiet(state: Flapping): FlappingStep {
  return { state, message: null, changes: 0 };
}

function told(state: Flapping, message: FlappingMessage, now: number): FlappingStep {
  const changes = message === 'began' ? state.changes.length : state.untold;
  return { state: { ...state, toldAt: now, untold: 0, isWaiting: false }, message, changes };
}

/** Without what no longer counts. Instants in the future (the clock was set back) become the present. */
function at(
  { changes, changedAt, failures, since, toldAt, ...state }: Flapping,
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
    toldAt: Math.min(toldAt, now),
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
    untold: state.untold + 1,
    isLastingTold: false,
  };
}
