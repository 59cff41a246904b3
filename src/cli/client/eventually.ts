// Reads again after changes, but neither too often nor twice at a time.

/** Share of the time that work may take: a large account is read less often. */
const largestShare = 1 / 5;

/**
 * Runs work soon after it was asked for, with at least the interval in between. Failed work is repeated when it is asked
 * for again.
 * @param everyMs minimum time between the end of work and its next start
 */
export function eventually(everyMs: number, work: () => Promise<void>): () => void {
  let [isBusy, isDue] = [false, false];
  return function ask(): void {
    isDue = true;
    if (isBusy) return;
    isBusy = true;
    isDue = false;
    const startedAt = performance.now();
    void work()
      .catch(() => undefined)
      .finally(() => {
        const tookMs = performance.now() - startedAt;
        const rest = (): void => {
          isBusy = false;
          if (isDue) ask();
        };
        setTimeout(rest, Math.max(everyMs, tookMs / largestShare - tookMs)).unref();
      });
  };
}
