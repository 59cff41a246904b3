// A step's heartbeat: it turns when woken or when its next time comes, one turn after the other.
// Waking is a hint, the clock is the floor: a lost wake costs latency, nothing else.

/** A running loop. */
export interface Loop {
  /** Turn soon; several wakes before the next turn are one. */
  wake(): void;
  /** No turn begins after this; resolves when the one under way has ended. */
  stop(): Promise<void>;
  /** Whether the last turn ended well; false while turns keep failing. */
  readonly isHealthy: boolean;
}

/** What a loop needs to know of its turns. */
export interface LoopOptions {
  /** One turn; answers in how many ms the next is wanted at the latest (0 = at once). */
  readonly turn: () => Promise<number>;
  /** The longest pause between two turns, ms. */
  readonly floorMs: number;
  /** Told of a turn that threw; the next follows after a growing pause. */
  readonly onError: (error: unknown, failedInARow: number) => void;
}

const firstPauseMs = 100;
const longestPauseMs = 5000;

/** Starts turning at once. */
export function startLoop({ turn, floorMs, onError }: LoopOptions): Loop {
  let timer: NodeJS.Timeout | null = null;
  let immediate: NodeJS.Immediate | null = null;
  let isTurning = false;
  let isWoken = false;
  let isStopped = false;
  let failedInARow = 0;
  const ended = Promise.withResolvers<void>();

  const plan = (inMs: number): void => {
    cancel();
    // A timer of 0 ms waits for a whole one.
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
    isTurning = true;
    isWoken = false;
    let pauseMs = floorMs;
    try {
      pauseMs = Math.min(await turn(), floorMs);
      failedInARow = 0;
    } catch (error) {
      failedInARow++;
      pauseMs = Math.min(firstPauseMs * 2 ** (failedInARow - 1), longestPauseMs) * (0.5 + Math.random() / 2);
      isWoken = false;
      onError(error, failedInARow);
    }
    isTurning = false;
    if (isStopped) ended.resolve();
    else plan(isWoken ? 0 : Math.max(0, pauseMs));
  };
  plan(0);
  return {
    wake() {
      if (isTurning) isWoken = true;
      else if (!isStopped && !isWoken && failedInARow === 0) {
        isWoken = true;
        plan(0);
      }
    },
    stop() {
      isStopped = true;
      cancel();
      if (!isTurning) ended.resolve();
      return ended.promise;
    },
    get isHealthy() {
      return failedInARow === 0;
    },
  };
}
