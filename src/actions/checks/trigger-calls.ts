// Trigger calls by token: start the checks and wait for their results (decisions: The token).
import type { RunResult } from '#store/checks/batches.ts';
import type { Store } from '#store/store.ts';
import type { Batch, BatchVerdict, CallOptions, TriggerTarget } from '#domain/checks/batch.ts';
import type { Trigger } from '#domain/checks/trigger.ts';
import type { Clock } from '#lib/clock.ts';
import { notFound, Refusal } from '../refusal.ts';
import type { ResultLinks } from '../signed-links.ts';
import { startedOf, type TriggerDeps } from './triggers.ts';
import { type Hints, waitUntil } from './wait-until.ts';

export interface TriggerCallDeps
  extends Pick<Store, 'batches' | 'triggerCalls'>, Omit<TriggerDeps, 'triggers' | 'batches'> {
  readonly triggers: Pick<TriggerDeps['triggers'], 'start'> & {
    findByToken(token: string): Promise<Trigger | null>;
  };
  readonly links: Pick<ResultLinks, 'link'>;
  /** Hints that results were recorded. */
  readonly resultHints: Hints;
  /** Aborts when this process stops, so that waiting callers do not delay shutdown. */
  readonly stopping?: AbortSignal;
}

/** A call by token. */
export interface TokenCall {
  /** Seconds, 1..600. */
  readonly maxWaitSeconds: number;
  readonly options?: CallOptions;
  /** Aborts when the client disconnects. The runs continue. */
  readonly signal: AbortSignal;
}

export type TriggerCallActions = ReturnType<typeof createTriggerCallActions>;

const nothingSpecial: CallOptions = { isQuiet: false, variables: [] };
const callsAMinute = 10;
const minuteMs = 60_000;

export function createTriggerCallActions(deps: TriggerCallDeps) {
  const { triggers, triggerCalls, batches, resultHints, stopping, servedLocations, wake, clock, links } = deps;
  const takeCall = createCallLimit(clock);

  const call = async (target: TriggerTarget, token: string, how: TokenCall): Promise<Batch> => {
    const { maxWaitSeconds, options = nothingSpecial, signal } = how;
    const trigger = await triggers.findByToken(token);
    if (trigger === null || trigger.groupId !== target.groupId || trigger.checkId !== target.checkId) {
      throw notFound('trigger', 'with this token');
    }
    takeCall(token);
    const { accountId } = trigger;
    const endsAt = performance.now() + maxWaitSeconds * 1000;
    const started = await triggers.start({
      accountId,
      target,
      newToken: null,
      idempotencyKey: null,
      servedLocations: servedLocations(),
      now: clock.now(),
      options,
    });
    const { batch } = startedOf(started, target, wake);
    if (batch === null) throw notFound('trigger', 'with this token');
    const ending = stopping === undefined ? signal : AbortSignal.any([signal, stopping]);
    const waiting = { maxMs: endsAt - performance.now(), signal: ending, hints: resultHints };
    if (!(await waitUntil(() => batches.isClosed(batch), waiting))) throw endedEarly(maxWaitSeconds, stopping);
    if (options.isQuiet || options.variables.length > 0) await triggerCalls.forget(accountId, batch.id);
    return batch;
  };

  const linkTo = ({ accountId }: Batch, checkId: string, resultId: string): string =>
    links.link(accountId, checkId, resultId, clock.now());
  return {
    /**
     * Starts the checks of the group and waits for all of them, in the order of the group. Refuses `not-found` if the
     * token is not this group's, `too-many` after 10 calls per minute, `limit`, `timeout` if time runs out, `unavailable`
     * if this process stops, and `conflict` if no check runs.
     */
    async callGroup(groupId: number, token: string, how: TokenCall): Promise<BatchVerdict[]> {
      const batch = await call({ groupId, checkId: null }, token, how);
      if (batch.checks.length === 0) {
        const message = 'The group has no activated checks to run. Heartbeat checks cannot be triggered.';
        throw new Refusal('conflict', message);
      }
      const verdicts = verdictsOf(batch, await batches.results(batch), linkTo);
      if (verdicts.length === 0) throw new Refusal('conflict', 'The checks of the group were deleted during the call.');
      return verdicts;
    },
    /** The same for one check. Refuses `conflict` if it is deactivated. */
    async callCheck(checkId: string, token: string, how: TokenCall): Promise<BatchVerdict> {
      const batch = await call({ groupId: null, checkId }, token, how);
      const [verdict] = verdictsOf(batch, await batches.results(batch), linkTo);
      if (verdict === undefined) {
        const message = `The check ${checkId} cannot be triggered: it is deactivated or a heartbeat check.`;
        throw new Refusal('conflict', message);
      }
      return verdict;
    },
  };
}

/** Why a call is answered before its results. */
function endedEarly(maxWaitSeconds: number, stopping: AbortSignal | undefined): Refusal {
  if (stopping?.aborted === true) {
    const message = 'This server is stopping. The checks continue after it restarts.';
    return new Refusal('unavailable', message, { retryAfterSeconds: 10 });
  }
  return new Refusal(
    'timeout',
    `Not all checks finished within ${maxWaitSeconds} s; they continue to run. To wait longer, increase maxWaitSeconds (maximum 600).`,
  );
}

/** One verdict per check with results; checks deleted during the call have none. */
function verdictsOf(
  batch: Batch,
  results: readonly RunResult[],
  linkTo: (batch: Batch, checkId: string, resultId: string) => string,
): BatchVerdict[] {
  const byRun = new Map(results.map((result) => [result.runId, result]));
  return batch.checks.flatMap(({ checkId, name, runIds }) => {
    const own = runIds.flatMap((runId) => byRun.get(runId) ?? []);
    if (own.length === 0) return [];
    const failed = own.find(({ outcome }) => outcome !== 'passed' && outcome !== 'degraded');
    const responseTime = Math.round(Math.max(...own.map((result) => result.responseTimeMs ?? 0)));
    const verdict = { checkId, name, hasFailures: failed !== undefined, responseTime };
    if (failed === undefined) return [verdict];
    return [{ ...verdict, message: failed.message ?? '', resultLink: linkTo(batch, checkId, failed.runId) }];
  });
}

/** Rate limit per trigger over the last minute. Forgets unused triggers. */
function createCallLimit(clock: Clock): (token: string) => void {
  const callsByToken = new Map<string, number[]>();
  return (token) => {
    const now = clock.now();
    const isRecent = (at: number) => at > now - minuteMs && at <= now;
    const recent = (callsByToken.get(token) ?? []).filter(isRecent);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= callsAMinute) {
      const retryAfterSeconds = Math.max(1, Math.ceil((oldest + minuteMs - now) / 1000));
      throw new Refusal('too-many', `Rate limit exceeded: at most ${callsAMinute} calls per minute for each trigger.`, {
        retryAfterSeconds,
      });
    }
    callsByToken.delete(token);
    callsByToken.set(token, [...recent, now]);
    // Entries are ordered by the latest call, so the first recent one ends the sweep.
    for (const [other, calls] of callsByToken) {
      if (isRecent(calls.at(-1) ?? 0)) break;
      callsByToken.delete(other);
    }
  };
}
