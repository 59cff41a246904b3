// How long this thread's event loop was held up: a timer that should come every few ms, and how late it came.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A measurement that runs while somebody is to know of hold-ups: a loop that wakes up for itself all day costs a hundredth of a core. */
export interface LoopWatch {
  /** Hold-ups are seen from here on, until `end` was called as often. */
  begin(): void;
  end(): void;
  /** The longest hold-up seen since `since` (of `performance.now()`), ms; what is under way counts. At most 64 s back. */
  longestSince(since: number): number;
}

const everyMs = 10;
const bucketMs = 100;
const buckets = 640;

/** One that does not run yet. Its timer does not keep the process alive. */
export function createLoopWatch(): LoopWatch {
  const longest = new Float64Array(buckets);
  const ofBucket = new Float64Array(buckets);
  let begun = 0;
  let last = 0;
  let timer: NodeJS.Timeout | null = null;
  const look = (): void => {
    const now = performance.now();
    const late = now - last - everyMs;
    last = now;
    const bucket = Math.floor(now / bucketMs);
    const at = bucket % buckets;
    if (ofBucket[at] !== bucket) longest[at] = 0;
    ofBucket[at] = bucket;
    longest[at] = Math.max(longest[at] ?? 0, late);
  };
  return {
    begin() {
      if (begun++ > 0) return;
      last = performance.now();
      timer = setInterval(look, everyMs).unref();
    },
    end() {
      if (--begun > 0 || timer === null) return;
      // What is under way now would not be seen by those who ask later.
      look();
      clearInterval(timer);
      timer = null;
    },
    longestSince: (since) => {
      const now = performance.now();
      const to = Math.floor(now / bucketMs);
      const from = Math.max(Math.floor(since / bucketMs), to - buckets + 1);
      let most = timer === null ? 0 : Math.max(0, now - last - everyMs);
      for (let bucket = from; bucket <= to; bucket++) {
        const at = bucket % buckets;
        if (ofBucket[at] === bucket) most = Math.max(most, longest[at] ?? 0);
      }
      return most;
    },
  };
}

/** The longest hold-up from one reading to the next. */
export interface LongestHoldUp {
  /** ms; 0 = there was none. What is not over yet is told by the next reading. */
  take(): number;
  stop(): void;
}

/**
 * Watches the loop of this thread until it is stopped, without keeping the process alive.
 *
 * @param everyMs how often the loop is woken up to see how late that is: shorter hold-ups may pass unseen
 */
export function watchLongestHoldUp(everyMs: number): LongestHoldUp {
  // Node's own costs half of what a timer does. It knows the time between two looks, of which the loop was asked to wait most.
  const looks = monitorEventLoopDelay({ resolution: everyMs });
  looks.enable();
  // After a reset it begins with a look that it compares with nothing: what lies before that one is seen by a timer.
  const watchBegin = () => {
    const from = performance.now();
    const found = { ms: 0, timer: setTimeout(() => (found.ms = performance.now() - from - everyMs), everyMs).unref() };
    return found;
  };
  let begin = watchBegin();
  return {
    take() {
      const longest = Math.max(0, begin.ms, looks.max / 1e6 - everyMs);
      clearTimeout(begin.timer);
      looks.reset();
      begin = watchBegin();
      return longest;
    },
    stop() {
      clearTimeout(begin.timer);
      looks.disable();
    },
  };
}
