// Readers of figures that wait after a start until the time before it is recorded: otherwise they would leave out a gap.
import type { Store } from '#store/store.ts';
import type { HistoryReader } from './analytics.ts';

/** Dependencies of waiting. */
export interface AfterGapsDeps {
  readonly gaps: Pick<Store['gaps'], 'isSettled'>;
  /** Start of this process, epoch ms. */
  readonly startedAt: number;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** Longest wait of a request, ms: without a process that schedules, the gap is not recorded. */
export const maxGapWaitMs = 5000;
const pollMs = 100;

/** Resolves when the time before the start is recorded, or `maxGapWaitMs` after the first call. */
export function createGapWait({ gaps, startedAt, pause }: AfterGapsDeps): () => Promise<void> {
  let settled: Promise<void> | null = null;
  const wait = async (): Promise<void> => {
    for (let waitedMs = 0; waitedMs < maxGapWaitMs && !(await gaps.isSettled(startedAt)); waitedMs += pollMs) {
      await pause(pollMs);
    }
  };
  return () =>
    (settled ??= wait().catch((error: unknown) => {
      settled = null;
      throw error;
    }));
}

/** The same reader after the wait. */
export function historyAfterGaps(history: HistoryReader, wait: () => Promise<void>): HistoryReader {
  return {
    checksAtOnce: history.checksAtOnce,
    read: async (...question) => wait().then(() => history.read(...question)),
    sums: async (...question) => wait().then(() => history.sums(...question)),
  };
}
