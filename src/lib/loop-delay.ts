// How long this thread's event loop was held up: a timer that should come every few ms, and how late it came.

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
