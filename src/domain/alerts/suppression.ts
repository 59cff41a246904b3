// Which needed check suppresses the alert of a failure, and until when: only while somebody is being notified of its own
// failure, or was until a moment ago (docs/decisions/0128). Instants are epoch ms, durations ms.
import type { CheckState, CheckStatus, StateRules } from '../checks/check-state.ts';
import type { Delivery } from '../deliveries/delivery.ts';

/** The needed check that suppresses an alert, as it is stored with the alert. */
export interface Suppressor {
  readonly checkId: string;
  readonly name: string;
  /** Since when an alert is suppressed without interruption. */
  readonly since: number;
  /** When it is sent at the latest; null = when the needed check has recovered and the wait after that is over. */
  readonly until: number | null;
}

/** The failure of a dependent check. */
export interface DependentFailure {
  /** Start of the newest result that counts. */
  readonly startedAt: number;
  /** Interval of the check. */
  readonly everyMs: number;
}

/** A needed check as its dependents see it. */
export interface NeededCheck {
  readonly checkId: string;
  readonly name: string;
  /** false = it or its group is deactivated. */
  readonly isActive: boolean;
  readonly status: CheckStatus | null;
  /** Newest result with a verdict; null = none. */
  readonly judgedAt: number | null;
  /** Interval. */
  readonly everyMs: number;
  /** Until when its alert is due at the latest, while its escalation runs and a channel waits for it; null = otherwise. */
  readonly escalatesUntil: number | null;
  /** When its last failure that was notified, or suppressed itself, ended; null = none did. */
  readonly recoveredAt: number | null;
  /** Whether somebody was notified of its present failure, or of the one that ended then. */
  readonly isNotified: boolean;
  /** IDs of the checks that it needs itself. */
  readonly needs: readonly string[];
}

/** Intervals without a verdict after which a failing check no longer suppresses, and at least this time. */
const [staleIntervals, staleMs] = [3, 300_000] as const;
/** Longest wait after the recovery of a needed check, and longest pause of a delivery that counts as in progress. */
export const longestWaitMs = 300_000;
/** Time for an attempt and its recording: an escalation is reached that much later. */
const recordingMs = 30_000;
/** Longest chain of needed checks, and most checks in it; what is beyond suppresses nothing. */
const [longestChain, mostChecks] = [10, 500] as const;

/** Finds needed checks by ID; null = it does not exist. */
export type FindNeeded = (checkId: string) => NeededCheck | null;

/** What suppresses an alert now. */
export type Suppression = Omit<Suppressor, 'since'>;

/**
 * The check that suppresses the alert of a failure; null = none does, and the alert is sent. A needed check that is
 * failing without a notification counts through the checks that it needs.
 * @param needs IDs of the needed checks
 */
export function suppressionOf(
  needs: readonly string[],
  failure: DependentFailure,
  find: FindNeeded,
  now: number,
): Suppression | null {
  const seen = new Map<string, Suppression | null>();
  const presentOf = (check: NeededCheck, depth: number): Suppression | null => {
    const { checkId, name } = check;
    if (now - (check.judgedAt ?? 0) > Math.max(staleIntervals * check.everyMs, staleMs)) return null;
    if (check.isNotified) return { checkId, name, until: null };
    if (check.escalatesUntil !== null && now < check.escalatesUntil) {
      return { checkId, name, until: check.escalatesUntil };
    }
    // Its own alert comes first: it is sent by the next evaluation after what it needs has let it go.
    const own = { startedAt: check.judgedAt ?? now, everyMs: check.everyMs, slackMs: recordingMs };
    return depth < longestChain ? search(check.needs, own, depth + 1) : null;
  };
  const search = (
    ids: readonly string[],
    own: DependentFailure & { readonly slackMs: number },
    depth: number,
  ): Suppression | null => {
    let longest: Suppression | null = null;
    for (const id of ids) {
      const check = find(id);
      if (check === null || !check.isActive) continue;
      const found = check.status === 'failing' ? once(check, depth) : waitAfter(check, own, now);
      if (found?.until === null) return found;
      if (found !== null && (longest?.until ?? 0) < (found.until ?? 0)) longest = found;
    }
    return longest;
  };
  /** Each check is judged once, also in a cycle, which saving refuses. */
  const once = (check: NeededCheck, depth: number): Suppression | null => {
    const known = seen.get(check.checkId);
    if (known !== undefined) return known;
    if (seen.size >= mostChecks) return null;
    seen.set(check.checkId, null);
    const found = presentOf(check, depth);
    seen.set(check.checkId, found);
    return found;
  };
  return search(needs, { ...failure, slackMs: 0 }, 1);
}

/**
 * The wait after a recovery: an interval of the dependent check, so that it has a run that began after it. Such a run
 * may take longer than the interval; an older one does not count before the longest wait is over.
 */
function waitAfter(
  { checkId, name, recoveredAt, isNotified }: NeededCheck,
  { startedAt, everyMs, slackMs }: DependentFailure & { readonly slackMs: number },
  now: number,
): Suppression | null {
  // In the future: the clock was set back.
  if (recoveredAt === null || !isNotified || recoveredAt > now) return null;
  const waitMs = startedAt <= recoveredAt ? longestWaitMs : Math.min(everyMs, longestWaitMs);
  const until = recoveredAt + waitMs + slackMs;
  return now < until ? { checkId, name, until } : null;
}

/** When the alert of a failing check is due at the latest; null = its escalation does not run. */
export function escalationDueAt(state: CheckState, rules: StateRules, everyMs: number): number | null {
  const { status, alerted, failingSince, position, failedInARow } = state;
  if (status !== 'failing' || alerted === 'failing' || rules.isMuted || failingSince === null) return null;
  const { escalation } = rules;
  const slackMs = Math.min(everyMs, recordingMs);
  if (escalation.type === 'TIME_BASED') return failingSince + escalation.ms + slackMs;
  const runs = Math.max(0, escalation.runs - failedInARow);
  return Math.max(position?.startedAt ?? failingSince, failingSince) + runs * everyMs + slackMs;
}

/** A notification about a failure: its delivery, or the digest that it is in. */
export interface FailureMessage extends Pick<Delivery, 'status' | 'nextAttemptAt' | 'createdAt'> {
  /** Since when it waits for a sending quota; null = it does not. */
  readonly quotaWaitsSince: number | null;
}

/**
 * Whether somebody was notified of a failure, or will be soon: a delivery that waits longer, such as for active hours or
 * a quota, does not count.
 * @param since when the failure began; earlier messages are about another one
 */
export function isNotifiedBy(messages: readonly FailureMessage[], since: number, now: number): boolean {
  return messages.some(({ status, nextAttemptAt, createdAt, quotaWaitsSince }) => {
    if (createdAt < since) return false;
    if (status === 'delivered' || status === 'superseded' || status === 'collecting') return true;
    const isSoon = (nextAttemptAt ?? now) - now <= longestWaitMs && now - (quotaWaitsSince ?? now) <= longestWaitMs;
    return status === 'pending' && isSoon;
  });
}

/** The end of a failure that dependents wait after, and its start; `failedFrom` is null if its alert was suppressed. */
export interface Recovery {
  readonly recoveredAt: number | null;
  readonly failedFrom: number | null;
}

/**
 * The recovery that a change of state leaves. Only the end of a failure that was alerted or suppressed counts. A short
 * failure soon after a recovery is a flap and does not renew it.
 * @param isSuppressed whether the alert of the failure was suppressed
 */
export function recoveryAfter(
  previous: Recovery,
  before: CheckState,
  after: Pick<CheckState, 'status'>,
  isSuppressed: boolean,
  now: number,
): Recovery {
  const isOver = before.status === 'failing' && after.status !== 'failing';
  if (!isOver || !(before.alerted === 'failing' || isSuppressed)) return previous;
  const from = before.failingSince ?? now;
  const { recoveredAt } = previous;
  const isFlap =
    recoveredAt !== null &&
    recoveredAt <= now &&
    now - from < longestWaitMs &&
    // A minute more: between the two, the alerts that waited are sent.
    from - recoveredAt < longestWaitMs + 60_000;
  if (isFlap) return previous;
  return { recoveredAt: now, failedFrom: before.alerted === 'failing' ? from : null };
}
