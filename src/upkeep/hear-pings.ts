// Beside the path: a process that receives pings says so again and again, so that what could not reach us is told from what
// did not come (docs/decisions/0091).
import type { DeafSpan } from '#domain/heartbeat.ts';
import { isAlive, type ProcessSign } from '#domain/process.ts';
import type { Clock } from '#lib/clock.ts';

/** What hearing is joined with. */
export interface HearPingsOptions {
  readonly store: {
    hear(
      isReturn: boolean,
      last?: { readonly deaf: DeafSpan | null },
    ): Promise<{ readonly heardAt: number | null; readonly deaf: DeafSpan | null }>;
  };
  readonly ownProcess: { readonly id: string; known(): readonly ProcessSign[] };
  readonly clock: Clock;
}

/** Whoever judges elsewhere waits for a sign that is newer than a deadline, ms. */
const sharedPauseMs = 1000;
const alonePauseMs = 5000;
/** Whoever lives has given a sign of life by then, ms. */
const doubtMostMs = 15_000;

/**
 * One turn; the first is when the process listens. Whether others could receive pings while it began is not known at once:
 * one that was killed seems to live for some seconds. So the time before is taken for one without anybody, until another
 * process gives a sign.
 */
export function createHearPings({ store, ownProcess, clock }: HearPingsOptions): () => Promise<number> {
  let hasBegun = false;
  let doubt: { readonly since: number; readonly last: { readonly deaf: DeafSpan | null } } | null = null;
  return async () => {
    const now = clock.now();
    const others = ownProcess.known().filter((one) => one.id !== ownProcess.id && isAlive(one, now));
    const receivers = others.filter(({ roles }) => roles.includes('api'));
    const pauseMs = others.length > 0 ? sharedPauseMs : alonePauseMs;
    if (!hasBegun) {
      const { heardAt, deaf } = await store.hear(true);
      hasBegun = true;
      if (receivers.length > 0 && heardAt !== null) doubt = { since: now, last: { deaf } };
      return pauseMs;
    }
    const since = doubt?.since ?? Number.POSITIVE_INFINITY;
    const isDispelled = receivers.some(({ seenAt }) => seenAt > since);
    await store.hear(false, isDispelled ? doubt?.last : undefined);
    if (isDispelled || now - since > doubtMostMs) doubt = null;
    return pauseMs;
  };
}
