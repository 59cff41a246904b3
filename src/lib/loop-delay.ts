// How long this thread's event loop was held up: a timer that should come every few ms, and how late it came.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A measurement that runs while somebody is to know of hold-ups: a loop that wakes up for itself all day costs a hundredth of a core. */
export interface LoopWatch {
  /** Hold-ups are seen from here on, until `end` was called as often. */
  begin(): void;
  end(): void;
  /** The longest hold-up since `since` (of `performance.now()`), the current one included, ms; at most 64 s back. */
  longestSince(since: number): number;
  /** How much later than without hold-ups something was noted at an instant, at most: it lay in them, or right behind, ms. */
  addedAt(instant: number): number;
}

const everyMs = 10;
/** Timers are late by less than this all the time, ms. */
const noticedMs = 5;
const rememberedMs = 64_000;
/** What waited for the end of a hold-up is noted within this time after it, ms. */
const behindMs = 15;

/** One that does not run yet. Its timer does not keep the process alive. */
export function createLoopWatch(): LoopWatch {
  // In the order in which they ended.
  let holdUps: { readonly endedAt: number; readonly ms: number }[] = [];
  let begun = 0;
  let last = 0;
  let timer: NodeJS.Timeout | null = null;
  const look = (): void => {
    const now = performance.now();
    const ms = now - last - everyMs;
    last = now;
    if (ms < noticedMs) return;
    const [oldest] = holdUps;
    // Half of them at once: a list is not shortened for each.
    if (oldest !== undefined && oldest.endedAt < now - 2 * rememberedMs)
      holdUps = holdUps.filter(({ endedAt }) => endedAt >= now - rememberedMs);
    holdUps.push({ endedAt: now, ms });
  };
  /** How long the hold-up lasts that is not over yet, ms. */
  const current = (now: number): number => {
    const ms = timer === null ? 0 : now - last - everyMs;
    return ms < noticedMs ? 0 : ms;
  };
  function* newestFirst() {
    for (let index = holdUps.length - 1; index >= 0; index--) {
      const holdUp = holdUps[index];
      if (holdUp !== undefined) yield holdUp;
    }
  }
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
    longestSince(since) {
      const now = performance.now();
      let longest = Math.min(current(now), now - since);
      for (const { endedAt, ms } of newestFirst()) {
        if (endedAt <= since || endedAt < now - rememberedMs) break;
        longest = Math.max(longest, Math.min(ms, endedAt - since));
      }
      return longest;
    },
    addedAt(instant) {
      const now = performance.now();
      let added = Math.max(0, instant - now + current(now));
      for (const { endedAt, ms } of newestFirst()) {
        if (endedAt + behindMs < instant) break;
        added += Math.max(0, Math.min(ms, instant - endedAt + ms));
      }
      return added;
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
