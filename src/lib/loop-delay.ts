// How long this thread's event loop was held up: a timer that should come every few ms, and how late it came.

/** A running measurement. */
export interface LoopDelay {
  /** The longest hold-up since `since` (of `performance.now()`), ms; what is under way counts. At most 64 s back. */
  longestSince(since: number): number;
  stop(): void;
}

const everyMs = 10;
const bucketMs = 100;
const buckets = 640;

/** Starts measuring. The timer does not keep the process alive. */
export function watchLoopDelay(): LoopDelay {
  const longest = new Float64Array(buckets);
  const ofBucket = new Float64Array(buckets);
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - last - everyMs;
    last = now;
    const bucket = Math.floor(now / bucketMs);
    const at = bucket % buckets;
    if (ofBucket[at] !== bucket) longest[at] = 0;
    ofBucket[at] = bucket;
    longest[at] = Math.max(longest[at] ?? 0, late);
  }, everyMs);
  timer.unref();
  return {
    longestSince: (since) => {
      const now = performance.now();
      const to = Math.floor(now / bucketMs);
      const from = Math.max(Math.floor(since / bucketMs), to - buckets + 1);
      let most = Math.max(0, now - last - everyMs);
      for (let bucket = from; bucket <= to; bucket++) {
        const at = bucket % buckets;
        if (ofBucket[at] === bucket) most = Math.max(most, longest[at] ?? 0);
      }
      return most;
    },
    stop: () => clearInterval(timer),
  };
}
