// Readers of figures that wait after a start until the time before it is recorded: otherwise they would leave out a gap.
import type { Store } from '#store/store.ts';
import type { TimeSpan } from '#domain/checks/calendar.ts';
import { Refusal } from '../refusal.ts';
import type { HistoryReader } from './analytics.ts';

export interface AfterGapsDeps {
  readonly gaps: Pick<Store['gaps'], 'isSettled'>;
  /** Start of this process, epoch ms. */
  readonly startedAt: number;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** Longest wait of a request, ms: without a process that schedules, the gap is not recorded. */
export const maxGapWaitMs = 5000;
const pollMs = 100;

/**
 * Waits until the time before the start is recorded; false = it is not after `maxGapWaitMs`. Later calls only look whether
 * it is.
 */
export type GapWait = () => Promise<boolean>;

export function createGapWait({ gaps, startedAt, pause }: AfterGapsDeps): GapWait {
  let isSettled = false;
  let waitedMs = 0;
  let waiting: Promise<boolean> | null = null;
  const wait = async (): Promise<boolean> => {
    for (;;) {
      isSettled = await gaps.isSettled(startedAt);
      if (isSettled || waitedMs >= maxGapWaitMs) return isSettled;
      await pause(pollMs);
      waitedMs += pollMs;
    }
  };
  const waitOnce = async (): Promise<boolean> => {
    try {
      return await wait();
    } finally {
      waiting = null;
    }
  };
  return () => (isSettled ? Promise.resolve(true) : (waiting ??= waitOnce()));
}

/** The same reader after the wait. Refuses (`unavailable`) a period that contains time without a record. */
export function historyAfterGaps(
  history: HistoryReader,
  wait: GapWait,
  { isSettled }: AfterGapsDeps['gaps'],
): HistoryReader {
  const settle = async ({ to }: TimeSpan): Promise<void> => {
    if ((await wait()) || (await isSettled(to))) return;
    const message =
      'Some time before the last start is not evaluated yet, so there are no figures of it. Try again later.';
    throw new Refusal('unavailable', message, { retryAfterSeconds: 5 });
  };
  return {
    checksAtOnce: history.checksAtOnce,
    read: async (accountId, checkIds, question) => {
      await settle(question);
      return history.read(accountId, checkIds, question);
    },
    sums: async (accountId, checkIds, span) => {
      await settle(span);
      return history.sums(accountId, checkIds, span);
    },
  };
}
