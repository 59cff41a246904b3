// Runs a step repeatedly: when woken or when its next time comes, one tick at a time. Wakes are hints, polling is the
// guarantee: a lost wake only costs latency.

export interface Loop {
  /** Requests a tick soon; several wakes before it are merged. */
  wake(): void;
  /** Starts no more ticks; resolves when the current one has ended. */
  stop(): Promise<void>;
  /** Whether the last tick succeeded. */
  readonly isHealthy: boolean;
  /** Whether no tick has succeeded for longer than its pause and `longestTickMs`: it fails, or one does not end. */
  readonly isStalled: boolean;
}

export interface LoopOptions {
  /** Runs one tick; returns the maximum delay until the next one, ms (0 = at once). */
  readonly tick: () => Promise<number>;
  /** Maximum delay between two ticks, ms. */
  readonly floorMs: number;
  /** Called for a tick that threw; the next one follows after a growing delay. */
  readonly onError: (error: unknown, failedInARow: number) => void;
  /** How long a tick may take or fail before the loop is stalled, ms. Default 60,000. */
  readonly longestTickMs?: number;
  /** Monotonic clock, ms. */
  readonly elapsedMs?: () => number;
}

const firstPauseMs = 100;
const longestPauseMs = 5000;

/** Starts ticking at once. */
export function startLoop(options: LoopOptions): Loop {
  const { tick, floorMs, onError, longestTickMs = 60_000, elapsedMs = () => performance.now() } = options;
  let [timer, immediate]: [NodeJS.Timeout | null, NodeJS.Immediate | null] = [null, null];
  let [isTicking, isWoken, isStopped] = [false, false, false];
  let failedInARow = 0;
  let succeededAt = elapsedMs();
  const ended = Promise.withResolvers<void>();

  const plan = (inMs: number): void => {
    cancel();
    // A timer of 0 ms takes a whole one.
    if (inMs <= 0) immediate = setImmediate(run);
    else timer = setTimeout(run, inMs);
  };
  const cancel = (): void => {
    if (timer !== null) clearTimeout(timer);
    if (immediate !== null) clearImmediate(immediate);
    timer = immediate = null;
  };
  const run = async (): Promise<void> => {
    timer = immediate = null;
    isTicking = true;
    isWoken = false;
    let pauseMs = floorMs;
    try {
      pauseMs = Math.min(await tick(), floorMs);
      failedInARow = 0;
      succeededAt = elapsedMs();
    } catch (error) {
      failedInARow++;
      pauseMs = Math.min(firstPauseMs * 2 ** (failedInARow - 1), longestPauseMs) * (0.5 + Math.random() / 2);
      isWoken = false;
      onError(error, failedInARow);
    }
    isTicking = false;
    if (isStopped) ended.resolve();
    else plan(isWoken ? 0 : Math.max(0, pauseMs));
  };
  plan(0);
  return {
    wake() {
      if (isTicking) isWoken = true;
      else if (!isStopped && !isWoken && failedInARow === 0) {
        isWoken = true;
        plan(0);
      }
    },
    stop() {
      isStopped = true;
      cancel();
      if (!isTicking) ended.resolve();
      return ended.promise;
    },
    get isHealthy() {
      return failedInARow === 0;
    },
    get isStalled() {
      return elapsedMs() - succeededAt > floorMs + longestTickMs;
    },
  };
}
