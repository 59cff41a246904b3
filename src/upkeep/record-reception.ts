// Records that this process can receive pings, to distinguish missing pings from pings that could not be received
// (docs/decisions/0091).
import type { ReceptionGap } from '#domain/checks/heartbeat.ts';
import { isAlive, type ProcessSign } from '#domain/accounts/process.ts';
import type { Clock } from '#lib/clock.ts';

/** Counts pings that this process could not store. */
export interface PingFailures {
  count: number;
}

export interface RecordReceptionOptions {
  readonly store: {
    note(
      isReturn: boolean,
      more?: {
        readonly last?: { readonly gaps: readonly ReceptionGap[] } | undefined;
        readonly gapMs?: (() => number | null) | undefined;
      },
    ): Promise<{ readonly receivingAt: number | null; readonly gaps: readonly ReceptionGap[] }>;
  };
  readonly ownProcess: { readonly id: string; known(): readonly ProcessSign[] };
  readonly failures: Readonly<PingFailures>;
  readonly clock: Clock;
  /** Monotonic clock, ms. */
  readonly steadyNow?: () => number;
}

/** Evaluation waits for a record that is newer than the deadline, ms. */
const pauseMs = 1000;
/** After this time without a record, a process that was not stopped could not write, ms. */
const silentMs = 5000;
/** Within this time, every living process has written a heartbeat, ms. */
const maxDoubtMs = 15_000;

/**
 * One tick; the first one when the process listens. It is not yet known whether other processes could receive pings
 * during the start, because a killed one appears alive for some seconds. So the time before counts as a gap until
 * another process writes a heartbeat. A period in which this process could store no ping is a gap, too.
 */
export function createRecordReception(options: RecordReceptionOptions): () => Promise<number> {
  const { store, ownProcess, failures, clock, steadyNow = () => performance.now() } = options;
  let hasBegun = false;
  let doubt: { readonly since: number; readonly last: { readonly gaps: readonly ReceptionGap[] } } | null = null;
  let well = { at: steadyNow(), failures: failures.count };
  return async () => {
    const now = clock.now();
    const receivers = ownProcess
      .known()
      .filter((one) => one.id !== ownProcess.id && isAlive(one, now) && one.roles.includes('api'));
    const begun = { at: steadyNow(), failures: failures.count };
    if (!hasBegun) {
      const { receivingAt, gaps } = await store.note(true);
      hasBegun = true;
      well = begun;
      if (receivers.length > 0 && receivingAt !== null) doubt = { since: now, last: { gaps } };
      return pauseMs;
    }
    const since = doubt?.since ?? Number.POSITIVE_INFINITY;
    const isDispelled = receivers.some(({ seenAt }) => seenAt > since);
    let seen = begun;
    // Evaluated when the record is written, to include delays until then.
    const gapMs = (): number | null => {
      seen = { at: steadyNow(), failures: failures.count };
      const ms = seen.at - well.at;
      return ms > silentMs || seen.failures > well.failures ? ms : null;
    };
    await store.note(false, { last: isDispelled ? doubt?.last : undefined, gapMs });
    well = seen;
    if (isDispelled || now - since > maxDoubtMs) doubt = null;
    return pauseMs;
  };
}
