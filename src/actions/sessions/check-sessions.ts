// Actions on check sessions: select stored checks, start them now, and follow their runs (reference §4.7).
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import {
  type CheckSession,
  type CheckSessionStatus,
  checkSessionStatus,
  checksOfCall,
} from '#domain/sessions/check-session.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { refusalOfStart } from '../checks/triggers.ts';
import { type Hints, waitUntil } from '../checks/wait-until.ts';
import { Refusal, orNotFound, refuseProblems } from '../refusal.ts';
import { type CheckResultDeps, shown, type ShownResult } from '../results/check-results.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { effectiveCheck } from '#domain/checks/effective-check.ts';

/** A session in a response. */
export interface ShownCheckSession extends CheckSession {
  readonly status: CheckSessionStatus;
  /** When its last run ended, epoch ms; null = one has not. */
  readonly stoppedAt: number | null;
  /** ms since its start, or until its end. */
  readonly elapsedMs: number;
  /** Runs that wait or run. */
  readonly openRuns: number;
  /** Final results of its ended runs. */
  readonly results: readonly ShownResult[];
}

/** How long to wait for the end of a session. */
export interface SessionWaiting {
  readonly maxMs: number;
  readonly signal: AbortSignal;
}

export interface CheckSessionDeps extends Pick<Store, 'checkSessions' | 'batches' | 'checkResults'>, SelectDeps {
  readonly describeResult: CheckResultDeps['describeResult'];
  /** Codes of the available run locations, this server's own first. */
  readonly servedLocations: () => readonly string[];
  readonly wake: () => void;
  readonly clock: Clock;
  /** Hints that results were recorded. */
  readonly hints: Hints;
  /** Aborts when this process stops, so that waiting callers do not delay shutdown. */
  readonly stopping: AbortSignal;
}

/** Sessions of other accounts are refused like unknown ones: `not-found`. */
export type CheckSessionActions = ReturnType<typeof createCheckSessionActions>;

export function createCheckSessionActions(deps: CheckSessionDeps) {
  const { checkSessions, clock } = deps;
  const required = async (caller: Caller, id: string): Promise<CheckSession> => {
    requirePermission(caller, 'read');
    return orNotFound(await checkSessions.find(caller.accountId, id), 'check session', id);
  };
  return {
    /**
     * Starts all matching activated checks, or none, and returns a session for each. Refuses `not-found` if none
     * matches, `limit`, and `too-many`.
     */
    async trigger(caller: Caller, target: CheckTarget): Promise<ShownCheckSession[]> {
      requirePermission(caller, 'run');
      const { accountId } = caller;
      const selected = await selectChecks(accountId, { ...target, allowDeactivated: false }, deps);
      const started = await checkSessions.start({
        accountId,
        checkIds: selected.map(({ check }) => check.id),
        servedLocations: deps.servedLocations(),
        now: clock.now(),
      });
      if (started.outcome !== 'started') throw refusalOfStart(started);
      // Deactivated meanwhile.
      if (started.sessions.length === 0) throw new Refusal('not-found', 'No matching checks were found.');
      deps.wake();
      return Promise.all(started.sessions.map((session) => shownSession(session, deps)));
    },
    find: async (caller: Caller, id: string) => shownSession(await required(caller, id), deps),
    /** The session once it has ended or was cancelled. Refuses `timeout` if time runs out. */
    async wait(caller: Caller, id: string, { maxMs, signal }: SessionWaiting): Promise<ShownCheckSession> {
      let session = await required(caller, id);
      const isOver = async (): Promise<boolean> => {
        session = await required(caller, id);
        return session.cancelledAt !== null || (await deps.batches.isClosed(batchOf(session)));
      };
      const ending = AbortSignal.any([signal, deps.stopping]);
      if (await waitUntil(isOver, { maxMs, signal: ending, hints: deps.hints })) return shownSession(session, deps);
      throw stillRunning('The check session is still running.');
    },
    /** Ends the session. Runs of checks that were started continue and are recorded. */
    async cancel(caller: Caller, id: string): Promise<ShownCheckSession> {
      requirePermission(caller, 'run');
      await required(caller, id);
      await checkSessions.cancel(caller.accountId, id);
      return shownSession(await required(caller, id), deps);
    },
  };
}

/** The answer to a call that waits no longer. */
export function stillRunning(what: string): Refusal {
  return new Refusal('timeout', `${what} Call this operation again to wait longer.`);
}

function batchOf({ accountId, batchId, checkId, name, runs }: CheckSession) {
  return { accountId, id: batchId, checks: [{ checkId, name, runIds: runs.map(({ id }) => id) }] };
}

async function shownSession(session: CheckSession, deps: CheckSessionDeps): Promise<ShownCheckSession> {
  const { accountId, checkId, name, checkType, runs, createdAt } = session;
  // Asked first: a run that ends in between has its result then.
  const isClosed = await deps.batches.isClosed(batchOf(session));
  const found = await Promise.all(runs.map(({ id }) => deps.checkResults.find(accountId, checkId, id)));
  const results = found.flatMap((result) => result ?? []);
  const endedAt = Math.max(createdAt, ...results.map(({ stoppedAt }) => stoppedAt));
  const stoppedAt = isClosed ? endedAt : null;
  const outcomes = results.map(({ outcome }) => outcome);
  return {
    ...session,
    status: checkSessionStatus(session, outcomes, isClosed),
    stoppedAt,
    openRuns: isClosed ? 0 : runs.length - results.length,
    elapsedMs: Math.max(0, (stoppedAt ?? deps.clock.now()) - createdAt),
    results: results.map((result) => shown(result, { name, checkType }, deps)),
  };
}

/** Which checks to start; empty = all. With both, a check must match both. */
export interface CheckTarget {
  /** Each list names tags that a check or its group must have; one of the lists must match. */
  readonly matchTags?: readonly (readonly string[])[] | undefined;
  readonly checkIds?: readonly string[] | undefined;
  /** Also select deactivated checks. */
  readonly allowDeactivated?: boolean | undefined;
}

/** A selected check with its group. */
interface SelectedCheck {
  readonly check: Check;
  readonly group: CheckGroup | null;
}

export type SelectDeps = Pick<Store, 'checks' | 'checkGroups'>;

/**
 * Checks of the account that match, without heartbeat checks, which cannot be started. Refuses `not-found` if none
 * matches, and `invalid` if more than 500 do.
 */
export async function selectChecks(accountId: string, target: CheckTarget, deps: SelectDeps): Promise<SelectedCheck[]> {
  const groups = new Map<number, Promise<CheckGroup | null>>();
  const groupOf = ({ groupId }: Check): Promise<CheckGroup | null> | null => {
    if (groupId === null) return null;
    const known = groups.get(groupId);
    const found = known ?? deps.checkGroups.find(accountId, groupId).then((stored) => stored?.group ?? null);
    groups.set(groupId, found);
    return found;
  };
  const selected: SelectedCheck[] = [];
  for (const check of await candidates(accountId, target, deps)) {
    const group = await groupOf(check);
    const isRunnable = target.allowDeactivated === true || effectiveCheck(check, group).activated;
    if (check.checkType !== 'HEARTBEAT' && isRunnable && hasTags({ check, group }, target))
      selected.push({ check, group });
  }
  if (selected.length === 0) throw new Refusal('not-found', 'No matching checks were found.');
  if (selected.length > checksOfCall) {
    const message = `matches ${selected.length} checks: at most ${checksOfCall} can be started together. Use tags to select fewer`;
    refuseProblems([{ path: 'target', message }]);
  }
  return selected;
}

/** Checks that may match; one more than allowed suffices. */
async function candidates(
  accountId: string,
  { matchTags = [], checkIds = [] }: CheckTarget,
  { checks }: SelectDeps,
): Promise<Check[]> {
  if (checkIds.length > 0) {
    const found = await Promise.all([...new Set(checkIds)].map((id) => checks.find(accountId, id)));
    return found.flatMap((stored) => stored?.check ?? []);
  }
  const slice = { limit: 2 * checksOfCall, offset: 0 };
  const byId = new Map<string, Check>();
  for (const tags of matchTags.length === 0 ? [[]] : matchTags) {
    const { rows } = await checks.list(accountId, { tags }, slice);
    for (const { check } of rows) byId.set(check.id, check);
  }
  return [...byId.values()];
}

function hasTags({ check, group }: SelectedCheck, { matchTags = [] }: CheckTarget): boolean {
  const tags = new Set([...check.tags, ...(group?.tags ?? [])]);
  return matchTags.length === 0 || matchTags.some((wanted) => wanted.every((tag) => tags.has(tag)));
}
