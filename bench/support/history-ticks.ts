// Turns of roll-ups and slices of retention by the store itself, and for how long each holds the loop of its process.
import { PerformanceObserver } from 'node:perf_hooks';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { HistoryEngine } from './history-engines.ts';
import { dayMs } from './history-plan.ts';
import { percentile } from './numbers.ts';
import type { Row } from './report.ts';
import { pause } from './service.ts';

/** Before a slice that failed is tried again, ms. */
const againMs = 500;

/** What the thread of the loop did for some work, ms of CPU. */
interface LoopTime {
  readonly cpuMs: number;
  /** What of it was the kernel's. */
  readonly systemMs: number;
  /** The longest piece of it in which nobody else had a turn. */
  readonly heldMs: number;
  /** When it began and ended, by `performance.now()`. */
  readonly from: number;
  readonly to: number;
}

/** A collection of garbage, in ms by `performance.now()`. */
interface Collection {
  readonly startTime: number;
  readonly duration: number;
}

/** Turns or slices of one kind. */
export interface Ticks {
  readonly times: readonly LoopTime[];
  readonly collections: readonly Collection[];
  /** Results counted, or rows removed. */
  readonly rows: number;
  readonly tookMs: number;
  /** CPU of this process, all threads, s. */
  readonly cpuSeconds: number;
}

/** Rolls up all hours that have ended by `until` (epoch ms) of `days` days, turn after turn. */
export async function rollUpTo(engine: HistoryEngine, until: number, days: number): Promise<Ticks> {
  const begin = await readyFor(engine, until, async (store) => {
    const { results, isThrough } = await store.rollUps.tick(until, days * dayMs);
    return { rows: results, isThrough };
  });
  return begin();
}

/**
 * To remove what is older than `before` (epoch ms): results, and where there are any deliveries with their attempts. On
 * PostgreSQL results go by whole days.
 *
 * @returns what begins it, with everything at hand: whoever asks the service meanwhile in this process waits for nothing but the removal
 */
export function readyToRemove(engine: HistoryEngine, before: number, now: number): Promise<() => Promise<Ticks>> {
  return readyFor(engine, now, async (store) => {
    try {
      const { removed, isThrough } = await store.retention.sweep(before, now, await store.rollUps.release(before));
      return { rows: removed, isThrough };
    } catch (error) {
      // Somebody reads for too long: the service tries again as well.
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
  // What the making of ten million results has left would be collected in the middle of a turn.
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
    // What else the loop has to do comes in between, as in the service: the thread that copies the log back waits for an answer.
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
 * Where a server works between the statements, the loop has its turn in between. A timer that would come each millisecond
 * comes after each turn of the loop: the CPU of the thread between two of them is what held it.
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
 * How long turns or slices held the loop.
 *
 * @param what names them in a figure
 * @param isLongestBound of slices the longest is; of a hundred thousand turns one is always met by a collection of garbage, which is as
 * long as the heap of the bench is large, or by what the host of the machine takes: of those it is told, and all but a thousandth are bound
 */
export function heldRows(what: string, { times }: Ticks, isLongestBound: boolean): Row[] {
  const held = times.map(({ heldMs }) => heldMs);
  // As arguments of one call a hundred thousand would be too many.
  const longest = held.reduce((max, each) => Math.max(max, each), 0);
  return [
    { figure: `${what}, loop held, p99`, value: percentile(held, 0.99), unit: 'ms', atMost: 20 },
    ...(isLongestBound
      ? []
      : [{ figure: `${what}, loop held, p99.9`, value: percentile(held, 0.999), unit: 'ms', atMost: 20 }]),
    { figure: `${what}, loop held at most`, value: longest, unit: 'ms', ...(isLongestBound && { atMost: 20 }) },
  ];
}

/** The longest turns, as CPU in one piece, and in brackets all of the turn, what of it was the kernel's, and what was collecting garbage. */
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
