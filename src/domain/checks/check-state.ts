// The state of a check: folded from its results, one after the other (decisions: Check state and alert types;
// below its failing share a parallel check passes: docs/decisions/0098), and judged again as time goes on without one
// (docs/decisions/0100).
import type { Escalation, Reminders } from '../alerts/alert-settings.ts';
import type { AlertType } from '../alerts/alert.ts';
import type { Outcome } from '../results/result.ts';

export type CheckStatus = 'passing' | 'degraded' | 'failing';

/** Where a result stands in time: its slot (or start, when it had none), then its start; epoch ms. */
export interface Position {
  readonly at: number;
  readonly startedAt: number;
}

/** What is known of a check from all its results so far. A new check has none of it. */
export interface CheckState {
  readonly status: CheckStatus | null;
  /** When the status began, epoch ms: the start of the run that found it so, of a parallel check the time of its round. */
  readonly since: number | null;
  /** The newest result that moved the state. */
  readonly position: Position | null;
  readonly failedInARow: number;
  readonly degradedInARow: number;
  readonly failingSince: number | null;
  /** What was alerted of since the check last passed. */
  readonly alerted: 'failing' | 'degraded' | null;
  /** The newest status by location, for checks that run in parallel. */
  readonly byLocation: Readonly<Record<string, LocationStatus>>;
}

/** What a location found last. */
export interface LocationStatus extends Position {
  readonly status: CheckStatus;
  /** The `at` of what it found before that; absent = nothing, or a version did not note it. */
  readonly before?: number;
  /** How often in a row it has come since without a verdict; absent = not at all. */
  readonly silent?: number;
  /** When it has come so once: the `before` of what it found last. */
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
  byLocation: {},
};

/** What the fold takes from a result. */
export interface StateResult extends Position {
  readonly outcome: Outcome;
  readonly location: string;
}

/** The settings under which a result is judged. */
export interface StateRules {
  readonly escalation: Escalation;
  /** Muted or under maintenance: nothing opens, only closings go out. */
  readonly isMuted: boolean;
  /** null = what is open is told once. */
  readonly reminders: Reminders | null;
  /** Locations of a parallel check; null = one location at a time. */
  readonly parallel: { readonly locations: readonly string[]; readonly failingShare: number | null } | null;
}

/** The state after a result, the change if there was one, and the alert that opens, if one does. */
export interface StateStep {
  readonly state: CheckState;
  readonly change: { readonly from: CheckStatus | null; readonly to: CheckStatus } | null;
  readonly opens: Extract<AlertType, 'ALERT_FAILURE' | 'ALERT_DEGRADED'> | null;
  /**
   * Whether the result counts: not `unknown`, not `missed`, not older than the newest that moved the state; of a parallel
   * check, that it made certain where its round stands.
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

/** Folds one final result into the state of its check. */
export function foldResult(state: CheckState, result: StateResult, rules: StateRules): StateStep {
  const own = statusOf[result.outcome];
  const last = lastOf(state, result.location, rules);
  const nothing: StateStep = { state, change: null, opens: null, isMoved: false };
  if (isOlder(result, last)) return nothing;
  // What a location finds that is none of the check's any more says nothing of the others.
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
  // A round has one time, whichever of its locations made it certain, and after however many attempts.
  const seenAt = rules.parallel === null ? result.startedAt : result.at;
  const moved: CheckState = {
    status,
    since: change === null ? state.since : seenAt,
    position: isOlder(result, state.position) ? state.position : { at: result.at, startedAt: result.startedAt },
    failedInARow: status === 'failing' ? state.failedInARow + more('failing') : 0,
    degradedInARow: status === 'degraded' ? state.degradedInARow + more('degraded') : 0,
    failingSince: status === 'failing' ? (state.failingSince ?? seenAt) : null,
    alerted: status === 'passing' ? null : state.alerted,
    byLocation,
  };
  if (found === null) return { state: moved, change: null, opens: null, isMoved: false };
  const opens = rules.isMuted ? null : openedBy(moved, seenAt, rules.escalation);
  return { state: opens === null ? moved : alertedOf(moved, opens), change, opens, isMoved: true };
}

/** When a state is judged without a result, and how much is known of it then. Epoch ms, and ms. */
export interface Standing {
  readonly now: number;
  /** How often the check is looked at. */
  readonly everyMs: number;
  /** The slot, or start, of its newest result of whatever outcome; null = it has none. */
  readonly lookedAt: number | null;
}

/** What nobody has looked at for two turns and this long is not known any more, ms. */
const graceMs = 15 * 60_000;

/**
 * The alert that is due by now although no result has come: what was silenced is not any more, the time of an escalation is
 * over, a threshold is another one (decisions: Check state and alert types; docs/decisions/0100). null = none, or there is
 * too little to know: nobody has looked for long, or what the locations found is no such state by the rules of the present.
 *
 * A failure lasts, as far as is known, until the next look was due: minutes after that count for no escalation.
 */
export function judgeState(
  state: CheckState,
  rules: StateRules,
  { now, everyMs, lookedAt }: Standing,
): StateStep['opens'] {
  if (rules.isMuted || lookedAt === null || now - lookedAt > 2 * everyMs + graceMs) return null;
  const found = rules.parallel === null ? null : statusOfRound(state.byLocation, rules.parallel);
  if (found !== null && found !== state.status) return null;
  const since = (state.status === 'failing' ? state.failingSince : state.since) ?? now;
  const knownTo = Math.max(state.position?.at ?? since, since) + everyMs;
  return openedBy(state, Math.min(now, knownTo), rules.escalation);
}

/** The state once that alert is told. */
export function alertedOf(state: CheckState, opens: NonNullable<StateStep['opens']>): CheckState {
  return { ...state, alerted: opens === 'ALERT_FAILURE' ? 'failing' : 'degraded' };
}

/** What a result must not be older than: of a check that ran at one location until now, whatever moved its state last. */
function lastOf({ position, byLocation }: CheckState, location: string, { parallel }: StateRules): Position | null {
  if (parallel === null || Object.keys(byLocation).length === 0) return position;
  return byLocation[location] ?? null;
}

function isOlder(result: Position, than: Position | null): boolean {
  if (than === null) return false;
  return result.at < than.at || (result.at === than.at && result.startedAt < than.startedAt);
}

function foundBy({ at, startedAt }: Position, status: CheckStatus, last: LocationStatus | undefined): LocationStatus {
  // Two results of one round: the round before stays.
  const before = last?.at === at ? last.before : last?.at;
  return { status, at, startedAt, ...(before !== undefined && { before }) };
}

/**
 * A location that came without a verdict: what it found last stands. It holds up this round, as one that does not answer, and is
 * not waited for while that goes on.
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
 * What the newest round of a parallel check has found, once that is certain whatever the locations find that are still to
 * answer; null until then. So it is the same in whatever order they answer (docs/decisions/0098). A check fails when any
 * location does, or when the share set for it does (reference §3). Fewer failing locations than that are what the threshold was
 * set for: they count as nothing. A location that left out a round is not waited for: while what it found last was a failure,
 * what was certain before stands.
 */
function statusOfRound(
  byLocation: CheckState['byLocation'],
  { locations, failingShare }: NonNullable<StateRules['parallel']>,
): CheckStatus | null {
  const { newest, before, third } = roundsOf(byLocation, locations);
  // None of its locations has found anything yet.
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

/** Where a location stood before it came without a verdict in this round: nothing is decided by that, in whatever order. */
function beforeSilence(found: LocationStatus | undefined, newest: number): LocationStatus | undefined {
  if (found?.silent === undefined || found.at !== newest || found.before === undefined) return found;
  const { silent, earlier, before, ...rest } = found;
  if (silent > 1) return { ...rest, at: before, before, silent: silent - 1 };
  return { ...rest, at: before, ...(earlier !== undefined && { before: earlier }) };
}

/** Whether a location has answered in the round before, and in the one before that: it is expected to answer in this one. */
function isRegular(found: LocationStatus | undefined, before: number, third: number): boolean {
  // In the first round of all nobody has answered before.
  if (found === undefined) return before === Number.NEGATIVE_INFINITY;
  if (found.silent !== undefined || found.at < before) return false;
  return found.before === undefined || found.before >= third;
}

/** Rounds after which a failure that was never confirmed or ended says nothing any more. */
const staleRounds = 3;

/** Whether what a location found last is too long ago to stand in the way of the others. */
function isStale(found: LocationStatus | undefined, newest: number, intervalMs: number): boolean {
  if (found === undefined) return true;
  return (found.silent ?? 0) >= staleRounds || newest - found.at >= staleRounds * intervalMs;
}

/** Whether a result makes its round one that has that status: a round counts once. */
function isCountedNow(
  counted: CheckStatus,
  before: CheckState['byLocation'],
  after: CheckState['byLocation'],
  { parallel }: StateRules,
): boolean {
  if (parallel === null) return true;
  const { newest } = roundsOf(after, parallel.locations);
  // Who came without a verdict has not begun it.
  const hasBegun = parallel.locations.some((code) => before[code]?.at === newest && before[code]?.silent === undefined);
  return !hasBegun || statusOfRound(before, parallel) !== counted;
}

/** The alert that is due now and was not raised yet. A worsening or easing of what was alerted goes out at once. */
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
