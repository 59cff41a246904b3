// Beside the path: a process that receives pings says so again and again, so that what could not reach us is told from what
// did not come (docs/decisions/0091).
import type { DeafSpan } from '#domain/checks/heartbeat.ts';
import { isAlive, type ProcessSign } from '#domain/accounts/process.ts';
import type { Clock } from '#lib/clock.ts';

/** Pings that could not be written by this process, counted. */
export interface PingFailures {
  count: number;
}

/** What hearing is joined with. */
export interface HearPingsOptions {
  readonly store: {
    hear(
      isReturn: boolean,
      more?: {
        readonly last?: { readonly deaf: readonly DeafSpan[] } | undefined;
        readonly deafMs?: (() => number | null) | undefined;
      },
    ): Promise<{ readonly heardAt: number | null; readonly deaf: readonly DeafSpan[] }>;
  };
  readonly ownProcess: { readonly id: string; known(): readonly ProcessSign[] };
  readonly failures: Readonly<PingFailures>;
  readonly clock: Clock;
  /** A clock that nobody sets, ms. */
  readonly steadyNow?: () => number;
}

/** Whoever judges waits for a sign that is newer than a deadline, ms. */
const pauseMs = 1000;
/** So long after its last sign a process that was not stopped could not write, or had no turn, ms. */
const silentMs = 5000;
/** Whoever lives has given a sign of life by then, ms. */
const doubtMostMs = 15_000;

/**
 * One turn; the first is when the process listens. Whether others could receive pings while it began is not known at once:
 * one that was killed seems to live for some seconds. So the time before is taken for one without anybody, until another
 * process gives a sign. A time in which this process could write no ping is one without anybody as well: who came to it
 * was turned away.
 */
export function createHearPings(options: HearPingsOptions): () => Promise<number> {
  const { store, ownProcess, failures, clock, steadyNow = () => performance.now() } = options;
  let hasBegun = false;
  let doubt: { readonly since: number; readonly last: { readonly deaf: readonly DeafSpan[] } } | null = null;
  let well = { at: steadyNow(), failures: failures.count };
  return async () => {
    const now = clock.now();
    const receivers = ownProcess
      .known()
      .filter((one) => one.id !== ownProcess.id && isAlive(one, now) && one.roles.includes('api'));
    const begun = { at: steadyNow(), failures: failures.count };
    if (!hasBegun) {
      const { heardAt, deaf } = await store.hear(true);
      hasBegun = true;
      well = begun;
      if (receivers.length > 0 && heardAt !== null) doubt = { since: now, last: { deaf } };
      return pauseMs;
    }
    const since = doubt?.since ?? Number.POSITIVE_INFINITY;
    const isDispelled = receivers.some(({ seenAt }) => seenAt > since);
    let seen = begun;
    // Asked when the sign is written: what hung until then is part of it.
    const deafMs = (): number | null => {
      seen = { at: steadyNow(), failures: failures.count };
      const ms = seen.at - well.at;
      return ms > silentMs || seen.failures > well.failures ? ms : null;
    };
    await store.hear(false, { last: isDispelled ? doubt?.last : undefined, deafMs });
    well = seen;
    if (isDispelled || now - since > doubtMostMs) doubt = null;
    return pauseMs;
  };
}
