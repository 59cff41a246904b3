// The probes of this process: handed to threads of their own, many at once, each check always to the same one.
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
  forgetTold,
  tellCertificates,
  type Lane,
  laneOf,
  newLane,
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
  /** Looks at a target once; never rejects. */
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

/** Starts the threads. */
export function createProber(options: ProberOptions): Prober {
  const size = Math.max(1, options.threads);
  const lanes = Array.from({ length: size }, newLane);
  const calls = startCalls(lanes, options);

  /** Hands something over to the thread of a check. */
  const hand = async (
    input: ThreadInput,
    put: (lane: Lane, number: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<Exchanged> => {
    if (signal?.aborted === true) return notProbed('the probe was stopped before it started');
    const index = laneOf(input.check.id, size);
    const lane = lanes[index] ?? newLane();
    const { number, answer } = calls.begin(index);
    tellCertificates(lane, input);
    put(lane, number);
    const onAbort = (): void => {
      lane.outbox.stop.push(number);
      calls.flushSoon(index);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await answer;
    } catch (error) {
      return notProbed(error instanceof Error ? error.message : String(error));
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
      return hand(work.input, (lane, number) => lane.outbox.halves.push({ number, work: sent }), signal);
    },
    get underWay() {
      return calls.pending;
    },
    get loopDelayMs() {
      return Math.max(...lanes.map((lane) => lane.loopDelayMs));
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
      forgetTold(lane);
      options.onThreadEnd?.(error);
    },
  });
}

function notProbed(message: string): Exchanged {
  return { finding: crashed(message), answer: null };
}
