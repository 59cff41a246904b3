// Roll-up ticks and retention slices of the store, and how long each blocks the event loop.
import { PerformanceObserver } from 'node:perf_hooks';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { collectGarbage, percentile, type Row } from './report.ts';
import type { HistoryEngine } from './history-engines.ts';
import { dayMs } from './history-plan.ts';
import { pause } from './service.ts';

/** Pause before a failed slice is retried, ms. */
const againMs = 500;

/** CPU time of the loop's thread for some work, ms. */
interface LoopTime {
  readonly cpuMs: number;
  /** Kernel part of it. */
  readonly systemMs: number;
  /** Longest period without yielding. */
  readonly heldMs: number;
  /** Start and end, by `performance.now()`. */
  readonly from: number;
  readonly to: number;
}

/** A garbage collection, in ms by `performance.now()`. */
interface Collection {
  readonly startTime: number;
  readonly duration: number;
}

/** Ticks or slices of one kind. */
export interface Ticks {
  readonly times: readonly LoopTime[];
  readonly collections: readonly Collection[];
  /** Results counted or rows deleted. */
  readonly rows: number;
  readonly tookMs: number;
  /** CPU time of this process, all threads, s. */
  readonly cpuSeconds: number;
}

/** Rolls up all complete hours before `until` (epoch ms) of `days` days, tick by tick. */
export async function rollUpTo(engine: HistoryEngine, until: number, days: number): Promise<Ticks> {
  const begin = await readyFor(engine, until, async (store) => {
    const { results, isThrough } = await store.rollUps.tick(until, days * dayMs);
    return { rows: results, isThrough };
  });
  return begin();
}

/**
 * Prepares the deletion of everything older than `before` (epoch ms): results, and deliveries with their attempts. On
 * PostgreSQL, results are deleted by full days.
 *
 * @returns a function that starts it, prepared so that concurrent queries of this process wait only for the deletion
 */
export function readyToRemove(engine: HistoryEngine, before: number, now: number): Promise<() => Promise<Ticks>> {
  return readyFor(engine, now, async (store) => {
    try {
      const { removed, isThrough } = await store.retention.sweep(before, now, await store.rollUps.release(before));
      return { rows: removed, isThrough };
    } catch (error) {
      // A reader takes too long; the service retries, too.
      if (!(error instanceof StoreUnavailableError)) throw error;
      await pause(againMs);
      return { rows: 0, isThrough: false };
    }
  });
}

type OpenStore = Awaited<ReturnType<HistoryEngine['openStore']>>;
type Tick = (store: OpenStore) => Promise<{ readonly rows: number; readonly isThrough: boolean }>;

async function readyFor(engine: HistoryEngine, now: number, tick: Tick): Promise<() => Promise<Ticks>> {
  const store = await engine.openStore(() => now);
  // Otherwise the garbage of creating ten million results would be collected during a tick.
  collectGarbage();
  return () => ticksOf(engine, store, tick);
}

async function ticksOf(engine: HistoryEngine, store: OpenStore, tick: Tick): Promise<Ticks> {
  const watch = engine.isInLoop ? null : watchPieces();
  const collections: Collection[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  const times: LoopTime[] = [];
  let rows = 0;
  for (let isThrough = false; !isThrough;) {
    watch?.begin();
    const from = performance.now();
    const before = process.threadCpuUsage();
    const answer = await tick(store);
    const { user, system } = process.threadCpuUsage(before);
    const cpuMs = (user + system) / 1000;
    times.push({ cpuMs, systemMs: system / 1000, heldMs: watch?.longestMs() ?? cpuMs, from, to: performance.now() });
    rows += answer.rows;
    ({ isThrough } = answer);
    // Yields to other work in between, as in the service: the thread that copies the log back waits for a response.
    await new Promise(setImmediate);
  }
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  watch?.stop();
  observer.disconnect();
  await store.close();
  return { times, collections, rows, tookMs, cpuSeconds: (user + system) / 1e6 };
}

/**
 * With a server, the loop continues between statements. A timer with an interval of one millisecond fires after each
 * iteration; the thread's CPU time between two of them is the blocked time.
 */
function watchPieces() {
  const cpu = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let last = cpu();
  let longest = 0;
  const inspect = (): void => {
    const now = cpu();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(inspect, 1);
  return {
    begin: () => {
      last = cpu();
      longest = 0;
    },
    longestMs: () => {
      inspect();
      return longest;
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Blocking time of ticks or slices.
 *
 * @param what their name in a figure
 * @param isLongestBound whether the longest one is limited (slices). Among a hundred thousand ticks, one always coincides
 * with a garbage collection of the benchmark's large heap or with stolen CPU time, so for them only 99.9 % are limited
 */
export function heldRows(what: string, { times }: Ticks, isLongestBound: boolean): Row[] {
  const held = times.map(({ heldMs }) => heldMs);
  // A hundred thousand values are too many arguments for one call.
  const longest = held.reduce((max, each) => Math.max(max, each), 0);
  return [
    { figure: `${what}, loop held, p99`, value: percentile(held, 0.99), unit: 'ms', atMost: 20 },
    ...(isLongestBound
      ? []
      : [{ figure: `${what}, loop held, p99.9`, value: percentile(held, 0.999), unit: 'ms', atMost: 20 }]),
    { figure: `${what}, maximum loop blocking`, value: longest, unit: 'ms', ...(isLongestBound && { atMost: 20 }) },
  ];
}

/** The longest ticks: CPU time without yielding, and in brackets total time, kernel time and garbage collection. */
export function longestOf({ times, collections }: Ticks): string {
  const ms = (value: number): string => value.toFixed(0);
  const longest = times.toSorted((a, b) => b.heldMs - a.heldMs).slice(0, 5);
  return longest
    .map(({ heldMs, cpuMs, systemMs, from, to }) => {
      const within = collections.filter(({ startTime }) => startTime >= from && startTime < to);
      const collectedMs = within.reduce((sum, { duration }) => sum + duration, 0);
      return `${ms(heldMs)} (${ms(cpuMs)}, ${ms(systemMs)}, ${ms(collectedMs)})`;
    })
    .join(', ');
}
