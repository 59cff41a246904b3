// The probes of this process: handed to threads of their own, many at once, each check always to the same one.
import {
  type Exchange,
  type Exchanged,
  type ProbeInput,
  type ThreadInput,
  threadInputOf,
} from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import { startThreadPool, type ThreadPool } from '#lib/thread-pool.ts';
import {
  crashed,
  emptyOutbox,
  giveBack,
  handProbe,
  tellCertificates,
  isEmpty,
  type Lane,
  laneOf,
  newLane,
  settle,
} from './probe-lanes.ts';
import type { FromThread, ThreadSettings } from './probe-messages.ts';
import { threadFile } from '#lib/package-files.ts';

/** How many threads there are and what they may do. */
export interface ProberOptions extends Pick<ThreadSettings, 'egress' | 'version'> {
  readonly threads: number;
  /** No probe takes longer, ms; 30 s by default. */
  readonly limitMs?: number;
  /** Certificates (PEM) trusted besides Node's own. */
  readonly extraCertificates?: readonly string[];
  /** Told when a thread has died; its probes have come back as `crashed`, and it is started again. */
  readonly onThreadEnd?: (error: Error) => void;
}

/** Probes in threads. */
export interface Prober {
  /** Looks at a target once; never rejects. The definition does not travel where the thread keeps it. */
  probe(input: ProbeInput, signal?: AbortSignal): Promise<Finding>;
  /** Does half a probe; never rejects. */
  readonly exchange: Exchange;
  /** Probes not yet back. */
  readonly underWay: number;
  /** The longest hold-up of a thread's loop over the last ten seconds, ms. */
  readonly loopDelayMs: number;
  /** Ends the threads; what is under way comes back as `crashed`. */
  close(): Promise<void>;
}

/** Beyond its limit a probe may be this late before its thread counts as hung, ms. */
const hungAfterMs = 15_000;

/** Starts the threads. */
export function createProber(options: ProberOptions): Prober {
  const limitMs = options.limitMs ?? 30_000;
  const size = Math.max(1, options.threads);
  const lanes = Array.from({ length: size }, newLane);
  const pool = startPool(lanes, limitMs, options);
  let lastNumber = 0;
  let isClosed = false;

  const flushSoon = (index: number, lane: Lane): void => {
    if (lane.isFlushing) return;
    lane.isFlushing = true;
    queueMicrotask(() => flush(pool, index, lane));
  };
  const watch = watchHung(lanes, pool, limitMs + hungAfterMs);

  /** Hands something over to the thread of a check. */
  const hand = (
    input: ThreadInput,
    put: (lane: Lane, number: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<Exchanged> => {
    if (isClosed || signal?.aborted === true)
      return Promise.resolve({ finding: crashed('the probe was stopped before it started'), answer: null });
    const index = laneOf(input.check.id, size);
    const lane = lanes[index] ?? newLane();
    const number = ++lastNumber;
    tellCertificates(lane, input);
    put(lane, number);
    flushSoon(index, lane);
    const done = new Promise<Exchanged>((resolve) => {
      lane.pending.set(number, { startedAt: performance.now(), resolve });
    });
    if (signal === undefined) return done;
    const onAbort = (): void => {
      lane.outbox.stop.push(number);
      flushSoon(index, lane);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    return done.finally(() => signal.removeEventListener('abort', onAbort));
  };

  return {
    probe: async (input, signal) => {
      const put = (lane: Lane, number: number): void => handProbe(lane, number, input, performance.now());
      return (await hand(input, put, signal)).finding;
    },
    exchange: (work, signal) => {
      const sent = { ...work, input: threadInputOf(work.input) };
      return hand(work.input, (lane, number) => lane.outbox.halves.push({ number, work: sent }), signal);
    },
    get underWay() {
      return lanes.reduce((sum, { pending }) => sum + pending.size, 0);
    },
    get loopDelayMs() {
      return Math.max(...lanes.map((lane) => lane.loopDelayMs));
    },
    close: async () => {
      isClosed = true;
      clearInterval(watch);
      await pool.close();
      for (const lane of lanes) giveBack(lane, 'the probe was stopped before it finished');
    },
  };
}

/** Ends threads whose oldest probe is later than any can be. */
function watchHung(lanes: readonly Lane[], pool: ThreadPool, mostMs: number): NodeJS.Timeout {
  const watch = setInterval(() => {
    for (const [index, lane] of lanes.entries()) {
      const [oldest] = lane.pending.values();
      if (oldest !== undefined && performance.now() - oldest.startedAt > mostMs) pool.kill(index);
    }
  }, 5000);
  return watch.unref();
}

function startPool(lanes: readonly Lane[], limitMs: number, options: ProberOptions): ThreadPool {
  const { egress, version, extraCertificates = [] } = options;
  const data: ThreadSettings = { egress, version, limitMs, extraCertificates };
  const pool = startThreadPool({
    entry: threadFile('probe-thread', import.meta.url),
    size: lanes.length,
    data,
    onMessage: (index, message) => {
      const lane = lanes[index];
      if (lane !== undefined) settle(lane, message as FromThread);
    },
    onEnd: (index, error) => {
      const lane = lanes[index];
      if (lane !== undefined) giveBack(lane, `the probe thread stopped unexpectedly: ${error.message}`);
      options.onThreadEnd?.(error);
    },
    onRestart: (index) => {
      const lane = lanes[index];
      if (lane !== undefined) flush(pool, index, lane);
    },
  });
  return pool;
}

/** Sends what has gathered; while the thread is down it stays until the next one is there. */
function flush(pool: ThreadPool, index: number, lane: Lane): void {
  lane.isFlushing = false;
  if (!isEmpty(lane.outbox) && pool.post(index, lane.outbox)) lane.outbox = emptyOutbox();
}
