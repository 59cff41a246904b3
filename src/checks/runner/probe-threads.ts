// Runs the probes of this process in threads, in batches. Each check always uses the same thread.
import { errorMessage } from '#lib/errors.ts';
import {
  type Exchange,
  type Exchanged,
  type ProbeInput,
  type ThreadInput,
  threadInputOf,
} from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import { ThreadCalls } from '#lib/thread-calls.ts';
import {
  crashed,
  emptyOutbox,
  findingsOf,
  forgetSent,
  sendCertificates,
  type Lane,
  laneOf,
  newLane,
  type FromThread,
  type ThreadSettings,
} from './probe-lanes.ts';
import { threadFile } from '#lib/package-files.ts';

export interface ProberOptions extends Pick<ThreadSettings, 'egress' | 'version'> {
  readonly threads: number;
  /** Maximum duration of a probe in ms. Default 30 s. */
  readonly limitMs?: number;
  /** Certificates (PEM) trusted besides Node's own. */
  readonly extraCertificates?: readonly string[];
  /** Called when a thread dies. Its probes end as `crashed` and the thread restarts. */
  readonly onThreadEnd?: (error: Error) => void;
}

export interface Prober {
  /** Probes a target once. Never rejects. */
  probe(input: ProbeInput, signal?: AbortSignal): Promise<Finding>;
  /** Runs half a probe. Never rejects. */
  readonly exchange: Exchange;
  /** Number of running probes. */
  readonly inProgress: number;
  /** Longest event loop delay of a thread in the last ten seconds. */
  readonly loopDelayMs: number;
  /** Whether no name server of this machine answers a thread. */
  readonly isResolverDown: boolean;
  /** Stops the threads. Running probes end as `crashed`. */
  close(): Promise<void>;
}

export function createProber(options: ProberOptions): Prober {
  const size = Math.max(1, options.threads);
  const lanes = Array.from({ length: size }, newLane);
  const calls = startCalls(lanes, options);

  /** Sends a call to the thread of a check. */
  const hand = async (
    input: ThreadInput,
    put: (lane: Lane, number: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<Exchanged> => {
    if (signal?.aborted === true) return notProbed('the probe was stopped before it started');
    const index = laneOf(input.check.id, size);
    const lane = lanes[index] ?? newLane();
    const { number, answer } = calls.begin(index);
    sendCertificates(lane, input);
    put(lane, number);
    const onAbort = (): void => {
      lane.outbox.stop.push(number);
      calls.flushSoon(index);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await answer;
    } catch (error) {
      return notProbed(errorMessage(error));
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  };

  return {
    probe: async (input, signal) => {
      const { accountId } = input.check;
      const text = JSON.stringify(threadInputOf(input));
      return (await hand(input, (lane, number) => lane.outbox.probes.push({ number, accountId, text }), signal))
        .finding;
    },
    exchange: (work, signal) => {
      const sent = { ...work, input: threadInputOf(work.input) };
      return hand(work.input, (lane, number) => lane.outbox.exchangeJobs.push({ number, work: sent }), signal);
    },
    get inProgress() {
      return calls.pending;
    },
    get loopDelayMs() {
      return Math.max(...lanes.map((lane) => lane.loopDelayMs));
    },
    get isResolverDown() {
      return lanes.some((lane) => lane.isResolverDown);
    },
    close: () => calls.close(),
  };
}

function startCalls(lanes: readonly Lane[], options: ProberOptions): ThreadCalls<Lane, Exchanged> {
  const { egress, version, extraCertificates = [], limitMs = 30_000 } = options;
  return new ThreadCalls<Lane, Exchanged>({
    name: 'the probe thread',
    entry: threadFile('probe-thread', import.meta.url),
    data: { egress, version, limitMs, extraCertificates } satisfies ThreadSettings,
    lanes,
    emptyOutbox,
    deadlineMs: limitMs,
    readAnswers: (lane, message) => findingsOf(lane, message as FromThread),
    onThreadEnd: (lane, error) => {
      forgetSent(lane);
      options.onThreadEnd?.(error);
    },
  });
}

function notProbed(message: string): Exchanged {
  return { finding: crashed(message), answer: null };
}
