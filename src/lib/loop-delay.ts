// Measures delays of this thread's event loop: how late a frequent timer fires.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A measurement that runs on demand, because waking up all the time costs a hundredth of a core. */
export interface LoopWatch {
  /** Starts measuring, until `end` was called as often. */
  begin(): void;
  end(): void;
  /** The longest delay since `since` (of `performance.now()`), including the current one, ms; at most 64 s back. */
  longestSince(since: number): number;
  /** Upper bound of how late an event at a given time was noticed because of delays during or just before it, ms. */
  addedAt(instant: number): number;
}

const everyMs = 10;
/** Timers are always late by less than this, ms. */
const noticedMs = 5;
const rememberedMs = 64_000;
/** Events that waited for the end of a delay are noticed within this time after it, ms. */
const behindMs = 15;

/** A stopped measurement. Its timer does not keep the process alive. */
export function createLoopWatch(): LoopWatch {
  // In the order of their ends.
  let stalls: { readonly endedAt: number; readonly ms: number }[] = [];
  let begun = 0;
  let last = 0;
  let timer: NodeJS.Timeout | null = null;
  const inspect = (): void => {
    const now = performance.now();
    const ms = now - last - everyMs;
    last = now;
    if (ms < noticedMs) return;
    const [oldest] = stalls;
    // Drops half of them at once, to avoid shortening the list every time.
    if (oldest !== undefined && oldest.endedAt < now - 2 * rememberedMs)
      stalls = stalls.filter(({ endedAt }) => endedAt >= now - rememberedMs);
    stalls.push({ endedAt: now, ms });
  };
  /** Duration of the current delay, ms. */
  const current = (now: number): number => {
    const ms = timer === null ? 0 : now - last - everyMs;
    return ms < noticedMs ? 0 : ms;
  };
  function* newestFirst() {
    for (let index = stalls.length - 1; index >= 0; index--) {
      const stall = stalls[index];
      if (stall !== undefined) yield stall;
    }
  }
  return {
    begin() {
      if (begun++ > 0) return;
      last = performance.now();
      timer = setInterval(inspect, everyMs).unref();
    },
    end() {
      if (--begun > 0 || timer === null) return;
      // Records the current delay, which later callers would miss.
      inspect();
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

/** The longest delay between two readings. */
export interface LongestStall {
  /** ms; 0 = none. A current delay is part of the next reading. */
  take(): number;
  stop(): void;
}

/**
 * Measures the loop of this thread until it is stopped, without keeping the process alive.
 * @param everyMs how often the loop is woken up: shorter delays may be missed
 */
export function watchLongestStall(everyMs: number): LongestStall {
  // Node's own monitor costs half of a timer. It reports the time between two samples, most of which the loop waited on
  // request.
  const polls = monitorEventLoopDelay({ resolution: everyMs });
  polls.enable();
  // After a reset, its first sample has no reference, so a timer covers the time before it.
  const watchBegin = () => {
    const from = performance.now();
    const found = { ms: 0, timer: setTimeout(() => (found.ms = performance.now() - from - everyMs), everyMs).unref() };
    return found;
  };
  let begin = watchBegin();
  return {
    take() {
      const longest = Math.max(0, begin.ms, polls.max / 1e6 - everyMs);
      clearTimeout(begin.timer);
      polls.reset();
      begin = watchBegin();
      return longest;
    },
    stop() {
      clearTimeout(begin.timer);
      polls.disable();
    },
  };
}
