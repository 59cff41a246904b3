// Actions on triggers; creating one starts the checks (spec §4.3, decisions: Trigger of a check group).
import type { Slice } from '#store/base/database.ts';
import type { TriggerStart } from '#store/checks/start-trigger.ts';
import type { Store } from '#store/store.ts';
import { randomBytes } from 'node:crypto';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Batch, CallRun, CallRuns, TriggerTarget } from '#domain/checks/batch.ts';
import type { Trigger } from '#domain/checks/trigger.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, Refusal, orNotFound } from '../refusal.ts';
import type { ResultLinks } from '../signed-links.ts';

export interface TriggerDeps extends Pick<Store, 'triggers' | 'batches'> {
  readonly links: Pick<ResultLinks, 'link'>;
  /** Codes of the available run locations, this server's own first. */
  readonly servedLocations: () => readonly string[];
  /** Hints that runs are waiting; polling finds them anyway (design: wake). */
  readonly wake: () => void;
  readonly clock: Clock;
}

/** A trigger that was called. */
export interface CalledTrigger extends Trigger {
  /** null = the call repeats one that an older version answered. */
  readonly call: CallRuns | null;
}

/** A run that a call started. */
export interface ShownRun extends CallRun {
  /** null while the run is in progress, and once it has passed. */
  readonly resultLink: string | null;
}

export type TriggerActions = ReturnType<typeof createTriggerActions>;

export function createTriggerActions({ triggers, batches, links, servedLocations, wake, clock }: TriggerDeps) {
  return {
    /**
     * Starts every activated check of the group, or the one check, and responds without waiting. The first call creates
     * the trigger. A repeat with the same idempotency key within 24 h gets the same response and starts nothing. Refuses
     * `not-found`, and `limit` if the account's execution limit does not allow all runs: then none starts.
     */
    async call(caller: Caller, target: TriggerTarget, idempotencyKey: string | null): Promise<CalledTrigger> {
      requirePermission(caller, 'run');
      const start = await triggers.start({
        accountId: caller.accountId,
        target,
        newToken: newTriggerToken(),
        idempotencyKey,
        servedLocations: servedLocations(),
        now: clock.now(),
      });
      const { trigger, call } = startedOf(start, target, wake);
      return { ...trigger, call };
    },
    /** The token can start checks, so it is hidden from keys that may not start any. */
    async find(caller: Caller, target: TriggerTarget): Promise<Trigger> {
      requirePermission(caller, 'run');
      return orNotFound(await triggers.find(caller.accountId, target), 'trigger of', nameOf(target));
    },
    /**
     * The runs that a call started, each with a result page unless it passed.
     * @param callId null = the newest call
     */
    async runs(caller: Caller, target: TriggerTarget, callId: string | null, { limit, offset }: Slice) {
      requirePermission(caller, 'run');
      const { accountId } = caller;
      const trigger = orNotFound(await triggers.find(accountId, target), 'trigger of', nameOf(target));
      const runs = await batches.runs(accountId, target, callId ?? trigger.calledAt ?? 0);
      const rows = runs.slice(offset, offset + limit).map((run) => ({
        ...run,
        resultLink:
          run.outcome === null || run.outcome === 'passed'
            ? null
            : links.link(accountId, run.checkId, run.id, clock.now()),
      }));
      return { rows, total: runs.length };
    },
    /** Deletes the trigger, which revokes its token. */
    async remove(caller: Caller, target: TriggerTarget): Promise<void> {
      requirePermission(caller, 'write');
      const isRemoved = await triggers.remove(caller.accountId, target);
      if (!isRemoved) throw notFound('trigger of', nameOf(target));
    },
  };
}

/** 24 random bytes as 32 URL-safe characters. */
function newTriggerToken(): string {
  return randomBytes(24).toString('base64url');
}

function nameOf({ groupId, checkId }: TriggerTarget): string {
  return checkId === null ? `check group ${groupId}` : `check ${checkId}`;
}

/** The called trigger, with its runs unless the call was a repeat. Refuses a call that could not start runs. */
export function startedOf(
  start: TriggerStart,
  target: TriggerTarget,
  wake: () => void,
): { readonly trigger: Trigger; readonly call: CallRuns | null; readonly batch: Batch | null } {
  if (start.outcome === 'started') {
    wake();
    return start;
  }
  if (start.outcome === 'repeated') return { trigger: start.trigger, call: start.call, batch: null };
  if (start.outcome === 'no-target') {
    throw target.checkId === null ? notFound('check group', target.groupId ?? '') : notFound('check', target.checkId);
  }
  throw refusalOfStart(start);
}

/** Why no run was started. */
export function refusalOfStart(
  start: Extract<TriggerStart, { readonly outcome: 'over-limit' | 'queue-full' }>,
): Refusal {
  if (start.outcome === 'queue-full') {
    const { max, waiting, wanted } = start;
    return new Refusal(
      'too-many',
      `The limit of ${max} open triggered runs per account would be exceeded: ${waiting} are waiting or running and ${wanted} more were requested. None was started.`,
      { attributes: { max, waiting, wanted }, retryAfterSeconds: 10 },
    );
  }
  const { limit, used, wanted } = start;
  return new Refusal(
    'limit',
    `The account's execution limit of ${limit} runs per month would be exceeded: ${used} are used and ${wanted} more were requested. None was started.`,
    { attributes: { limit, used, wanted } },
  );
}
