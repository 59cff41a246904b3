// The state of a check, folded from its results (decisions: Check state and alert types; parallel checks below their
// threshold: docs/decisions/0098), and evaluated again as time passes without results (docs/decisions/0100).
import type { Escalation, Reminders } from '../alerts/alert-settings.ts';
import type { AlertType } from '../alerts/alert.ts';
import type { Outcome } from '../results/result.ts';

export const checkStatuses = ['passing', 'failing', 'degraded'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** Position of a result in time: its slot (or start if it had none), then its start; epoch ms. */
export interface Position {
  readonly at: number;
  readonly startedAt: number;
}

/** What is known of a check from its results so far. Empty for a new check. */
export interface CheckState {
  readonly status: CheckStatus | null;
  /** When the status began, epoch ms: start of the run, or for a parallel check the time of its round. */
  readonly since: number | null;
  /** The newest result that changed the state. */
  readonly position: Position | null;
  readonly failedInARow: number;
  readonly degradedInARow: number;
  readonly failingSince: number | null;
  /** What was alerted since the check last passed. */
  readonly alerted: 'failing' | 'degraded' | null;
  /** When the current status was acknowledged, epoch ms, or null. No reminders are sent while it is set. */
  readonly acknowledgedAt: number | null;
  /** The newest status by location, for checks that run in parallel. */
  readonly byLocation: Readonly<Record<string, LocationStatus>>;
}

/** The last result of a location. */
export interface LocationStatus extends Position {
  readonly status: CheckStatus;
  /** `at` of the previous result; absent = none, or an older version did not record it. */
  readonly before?: number;
  /** Consecutive results without a verdict since then; absent = none. */
  readonly silent?: number;
  /** After one such result: `before` of the last result with a verdict. */
  readonly earlier?: number;
}

export const newCheckState: CheckState = {
  status: null,
  since: null,
  position: null,
  failedInARow: 0,
  degradedInARow: 0,
  failingSince: null,
  alerted: null,
  acknowledgedAt: null,
  byLocation: {},
};

/** Fields of a result that are folded into the state. */
export interface StateResult extends Position {
  readonly outcome: Outcome;
  readonly location: string;
}

/** The settings for evaluating a result. */
export interface StateRules {
  readonly escalation: Escalation;
  /** Muted or in maintenance: no alerts are opened, only recoveries are sent. */
  readonly isMuted: boolean;
  /** null = open alerts are not repeated. */
  readonly reminders: Reminders | null;
  /** Locations of a parallel check; null = one location at a time. */
  readonly parallel: { readonly locations: readonly string[]; readonly failingShare: number | null } | null;
}

/** The state after a result, the change if there was one, and the new alert if there is one. */
export interface StateStep {
  readonly state: CheckState;
  readonly change: { readonly from: CheckStatus | null; readonly to: CheckStatus } | null;
  readonly opens: Extract<AlertType, 'ALERT_FAILURE' | 'ALERT_DEGRADED'> | null;
  /**
   * Whether the result counts: not `unknown` or `missed`, not older than the last that changed the state; for a
   * parallel check, whether it decided its round.
   */
  readonly isMoved: boolean;
}

const statusOf: Readonly<Record<Outcome, CheckStatus | null>> = {
  passed: 'passing',
  degraded: 'degraded',
  failed: 'failing',
  unknown: null,
  missed: null,
};

/** Folds a final result into the state of its check. */
export function foldResult(state: CheckState, result: StateResult, rules: StateRules): StateStep {
  const own = statusOf[result.outcome];
  const last = lastOf(state, result.location, rules);
  const nothing: StateStep = { state, change: null, opens: null, isMoved: false };
  if (isOlder(result, last)) return nothing;
  // Results of locations that the check no longer has are ignored.
  if (rules.parallel !== null && !rules.parallel.locations.includes(result.location)) return nothing;
  if (own === null) return rules.parallel === null ? nothing : { ...nothing, state: silenced(state, result) };

  const byLocation =
    rules.parallel === null
      ? {}
      : { ...state.byLocation, [result.location]: foundBy(result, own, state.byLocation[result.location]) };
  const found = rules.parallel === null ? own : statusOfRound(byLocation, rules.parallel);
  const status = found ?? state.status;
  const change = status === state.status || status === null ? null : { from: state.status, to: status };
  const isCounted = found !== null && (change !== null || isCountedNow(found, state.byLocation, byLocation, rules));
  const more = (counted: CheckStatus): number => (isCounted && found === counted ? 1 : 0);
  // A round has one time, whichever location decided it and after however many attempts.
  const seenAt = rules.parallel === null ? result.startedAt : result.at;
  const moved: CheckState = {
    status,
    since: change === null ? state.since : seenAt,
    position: isOlder(result, state.position) ? state.position : { at: result.at, startedAt: result.startedAt },
    failedInARow: status === 'failing' ? state.failedInARow + more('failing') : 0,
    degradedInARow: status === 'degraded' ? state.degradedInARow + more('degraded') : 0,
    failingSince: status === 'failing' ? (state.failingSince ?? seenAt) : null,
    alerted: status === 'passing' ? null : state.alerted,
    acknowledgedAt: change === null ? state.acknowledgedAt : null,
    byLocation,
  };
  if (found === null) return { state: moved, change: null, opens: null, isMoved: false };
  const opens = rules.isMuted ? null : openedBy(moved, seenAt, rules.escalation);
  return { state: opens === null ? moved : alertedOf(moved, opens), change, opens, isMoved: true };
}

/** Evaluates a state without a new result. Times are epoch ms, durations ms. */
export interface Standing {
  readonly now: number;
  /** Interval of the check. */
  readonly everyMs: number;
  /** Slot or start of its newest result of any outcome; null = none. */
  readonly judgedAt: number | null;
}

/** After two intervals and this time without results, the state is unknown, ms. */
const graceMs = 15 * 60_000;

/**
 * The alert that is due now without a new result: a mute ended, an escalation period passed, or a threshold changed
 * (decisions: Check state and alert types; docs/decisions/0100). null = none, or too little is known: there was no
 * result for long, or the results of the locations yield another state under the current rules.
 * A failure is assumed to last until the next result was due. Later minutes do not count for escalation.
 */
export function judgeState(
  state: CheckState,
  rules: StateRules,
  { now, everyMs, judgedAt }: Standing,
): StateStep['opens'] {
  if (rules.isMuted || judgedAt === null || now - judgedAt > 2 * everyMs + graceMs) return null;
  const found = rules.parallel === null ? null : statusOfRound(state.byLocation, rules.parallel);
  if (found !== null && found !== state.status) return null;
  const since = (state.status === 'failing' ? state.failingSince : state.since) ?? now;
  const knownTo = Math.max(state.position?.at ?? since, since) + everyMs;
  return openedBy(state, Math.min(now, knownTo), rules.escalation);
}

/** The state after that alert was raised. */
export function alertedOf(state: CheckState, opens: NonNullable<StateStep['opens']>): CheckState {
  return { ...state, alerted: opens === 'ALERT_FAILURE' ? 'failing' : 'degraded' };
}

/**
 * Position that a result must not precede; for a check that ran at one location until now, the last result that changed
 * its state.
 */
function lastOf({ position, byLocation }: CheckState, location: string, { parallel }: StateRules): Position | null {
  if (parallel === null || Object.keys(byLocation).length === 0) return position;
  return byLocation[location] ?? null;
}

function isOlder(result: Position, than: Position | null): boolean {
  if (than === null) return false;
  return result.at < than.at || (result.at === than.at && result.startedAt < than.startedAt);
}

function foundBy({ at, startedAt }: Position, status: CheckStatus, last: LocationStatus | undefined): LocationStatus {
  // Two results of one round: keeps the previous round.
  const before = last?.at === at ? last.before : last?.at;
  return { status, at, startedAt, ...(before !== undefined && { before }) };
}

/**
 * A result without a verdict keeps the location's last status. The location counts as not answering in this round, and
 * is not waited for while that continues.
 */
function silenced(state: CheckState, { location, at, startedAt }: StateResult): CheckState {
  const last = state.byLocation[location];
  if (last === undefined) return state;
  const { earlier: _, ...rest } = last;
  const isFirst = last.silent === undefined && last.before !== undefined;
  const entry: LocationStatus = {
    ...rest,
    at,
    startedAt,
    before: last.at,
    silent: (last.silent ?? 0) + 1,
    ...(isFirst && { earlier: last.before }),
  };
  return { ...state, byLocation: { ...state.byLocation, [location]: entry } };
}

/** The newest round of a parallel check, epoch ms, and the one before it. */
function roundsOf(byLocation: CheckState['byLocation'], locations: readonly string[]) {
  const all = locations.flatMap((code) => {
    const { at, before } = byLocation[code] ?? {};
    return [at, before].filter((each) => each !== undefined);
  });
  const newest = Math.max(...all);
  const before = Math.max(...all.filter((at) => at < newest));
  return { newest, before, third: Math.max(...all.filter((at) => at < before)) };
}

/**
 * Result of the newest round of a parallel check, once the outstanding locations cannot change it; null until then.
 * This makes it independent of their order (docs/decisions/0098). A check fails if any location fails, or if the
 * configured share does (reference §3); fewer failing locations count as nothing. A location that skipped a round is
 * not waited for; while its last result was a failure, the previous decision remains.
 */
function statusOfRound(
  byLocation: CheckState['byLocation'],
  { locations, failingShare }: NonNullable<StateRules['parallel']>,
): CheckStatus | null {
  const { newest, before, third } = roundsOf(byLocation, locations);
  // None of its locations has a result yet.
  if (newest === Number.NEGATIVE_INFINITY) return null;
  const intervalMs = newest - before;
  let [failing, mayFail, awaited] = [0, 0, 0];
  let isDegraded = false;
  for (const code of locations) {
    const found = beforeSilence(byLocation[code], newest);
    const { status = null, at = Number.NEGATIVE_INFINITY } = found ?? {};
    const isAnswered = at === newest && found?.silent === undefined;
    const isAwaited = !isAnswered && isRegular(found, before, third);
    if (isAwaited) awaited++;
    if (isAnswered && status === 'failing') failing++;
    if (isAwaited || (status === 'failing' && (isAnswered || !isStale(found, newest, intervalMs)))) mayFail++;
    isDegraded ||= !isAwaited && status === 'degraded';
  }
  const isFailing = (count: number): boolean => count > 0 && count / locations.length >= (failingShare ?? 0);
  if (isFailing(failing)) return 'failing';
  if (isFailing(mayFail)) return null;
  if (isDegraded) return 'degraded';
  return awaited > 0 ? null : 'passing';
}

/** Status of a location before a result without a verdict in this round; it decides nothing, whatever the order. */
function beforeSilence(found: LocationStatus | undefined, newest: number): LocationStatus | undefined {
  if (found?.silent === undefined || found.at !== newest || found.before === undefined) return found;
  const { silent, earlier, before, ...rest } = found;
  if (silent > 1) return { ...rest, at: before, before, silent: silent - 1 };
  return { ...rest, at: before, ...(earlier !== undefined && { before: earlier }) };
}

/** Whether a location responded in each of the two rounds before: it is expected to respond in this one. */
function isRegular(found: LocationStatus | undefined, before: number, third: number): boolean {
  // In the very first round there is nothing to compare with.
  if (found === undefined) return before === Number.NEGATIVE_INFINITY;
  if (found.silent !== undefined || found.at < before) return false;
  return found.before === undefined || found.before >= third;
}

/** Rounds after which a failure without confirmation or recovery is ignored. */
const staleRounds = 3;

/** Whether the last result of a location is too old to affect the others. */
function isStale(found: LocationStatus | undefined, newest: number, intervalMs: number): boolean {
  if (found === undefined) return true;
  return (found.silent ?? 0) >= staleRounds || newest - found.at >= staleRounds * intervalMs;
}

/** Whether a result is the first in its round with that status: a round counts once. */
function isCountedNow(
  counted: CheckStatus,
  before: CheckState['byLocation'],
  after: CheckState['byLocation'],
  { parallel }: StateRules,
): boolean {
  if (parallel === null) return true;
  const { newest } = roundsOf(after, parallel.locations);
  // A location without a verdict has not begun the round.
  const hasBegun = parallel.locations.some((code) => before[code]?.at === newest && before[code]?.silent === undefined);
  return !hasBegun || statusOfRound(before, parallel) !== counted;
}

/** The alert that is due now and was not raised yet. A change between failing and degraded is sent at once. */
function openedBy(state: CheckState, seenAt: number, escalation: Escalation): StateStep['opens'] {
  const isCounted = state.failedInARow + state.degradedInARow > 0;
  if (!isCounted) return null;
  if (state.status === 'failing' && state.alerted !== 'failing') {
    const isDue = state.alerted === 'degraded' || isReached(escalation, state.failedInARow, state.failingSince, seenAt);
    return isDue ? 'ALERT_FAILURE' : null;
  }
  if (state.status === 'degraded' && state.alerted !== 'degraded') {
    const isDue = state.alerted === 'failing' || isReached(escalation, state.degradedInARow, state.since, seenAt);
    return isDue ? 'ALERT_DEGRADED' : null;
  }
  return null;
}

function isReached(escalation: Escalation, inARow: number, since: number | null, seenAt: number): boolean {
  if (escalation.type === 'RUN_BASED') return inARow >= escalation.runs;
  return since !== null && seenAt - since >= escalation.ms;
}
