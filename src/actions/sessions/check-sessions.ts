// Actions on check sessions: start stored checks now, and follow their runs (reference §4.7).
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { type CheckSession, type CheckSessionStatus, checkSessionStatus } from '#domain/sessions/check-session.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { refusalOfStart } from '../checks/triggers.ts';
import { type Hints, waitUntil } from '../checks/wait-until.ts';
import { notFound, Refusal } from '../refusal.ts';
import { type CheckResultDeps, shown, type ShownResult } from '../results/check-results.ts';
import { type CheckTarget, type SelectDeps, selectChecks } from './select-checks.ts';

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
    const session = await checkSessions.find(caller.accountId, id);
    if (session === null) throw notFound('check session', id);
    return session;
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
