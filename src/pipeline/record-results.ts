// Records findings as results, states, alerts and one delivery per subscribed channel, in one durable commit
// (docs/decisions/0004).
import { judgedNow } from '#domain/checks/state-rules.ts';
import type { EndedAttempt, Judge, NotificationRules, Recorded } from '#domain/results/recording.ts';
import { createBatchWriter } from '#lib/batch-writer.ts';
import type { Clock } from '#lib/clock.ts';
import { isTemporary } from '#lib/errors.ts';

interface RecordStore {
  /** Records at least the first of the attempts in one transaction, and returns the outcomes of those it recorded. */
  recordAttempts(
    attempts: readonly EndedAttempt[],
    rules: NotificationRules & {
      readonly owner: string;
      readonly now: number;
      readonly judge: Judge;
    },
  ): Promise<Recorded[]>;
}

export interface RecordResultsOptions extends NotificationRules {
  readonly store: RecordStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Codes of the available run locations, this server's own first. */
  readonly locations: () => readonly string[];
  /** Called with what was recorded: deliveries to send, runs to retry, batches that wait. */
  readonly onRecorded: (attempt: EndedAttempt, recorded: Recorded) => void;
  readonly onError: (error: unknown, waiting: number) => void;
}

const attemptsPerCommit = 200;
/**
 * Maximum number of findings in memory while the store cannot be written; beyond it the oldest are dropped, and run
 * again. Equals the maximum number of runs in progress (`maxInProgress` of run-checks), since a run stays in progress
 * until its result is durable. close-unserved-runs adds at most two hundred, which are claimed again if dropped.
 */
export const maxWaiting = 4000;
const retryMs = 500;

/** The step: accepts findings, and retries while the store cannot be written. */
export interface RecordResults {
  /** Resolves once the attempt is durable; null = it was dropped: its lease expires and the run is repeated. */
  record(attempt: EndedAttempt): Promise<Recorded | null>;
  /** Number of findings that are not durable yet. */
  readonly waiting: number;
  readonly isHealthy: boolean;
  /** Whether findings have waited for more than a minute while nothing was recorded. */
  readonly isStalled: boolean;
  /** Writes waiting findings; gives up after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

interface Waiting {
  readonly attempt: EndedAttempt;
  readonly done: (recorded: Recorded | null) => void;
  isDone: boolean;
}

export function createRecordResults(options: RecordResultsOptions): RecordResults {
  const { store, clock, owner, render, statusOf, isDigested, isBrief } = options;
  const settle = (one: Waiting | undefined, recorded: Recorded): void => {
    if (one === undefined) return;
    one.isDone = true;
    options.onRecorded(one.attempt, recorded);
    one.done(recorded);
  };
  const writer = createBatchWriter<Waiting>({
    write: async (batch) => {
      // A batch whose write failed is retried as a whole.
      let rest = batch.filter((one) => !one.isDone);
      for (let max = rest.length; rest.length > 0;) {
        const part = rest.slice(0, max);
        const attempts = part.map(({ attempt }) => attempt);
        const now = clock.now();
        const judge: Judge = (attempt, context) => judgedNow(attempt, context, options.locations(), now);
        const recorded = await store.recordAttempts(attempts, {
          owner,
          now,
          render,
          statusOf,
          isDigested,
          isBrief,
          judge,
        });
        recorded.forEach((outcome, index) => settle(part[index], outcome));
        rest = rest.slice(recorded.length);
        max = recorded.length < part.length ? recorded.length : 2 * max;
      }
    },
    isTemporary,
    onError: options.onError,
    onDropped: ({ done }) => done(null),
    maxBatch: attemptsPerCommit,
    maxWaiting,
    retryMs,
  });
  return {
    record: (attempt) => new Promise((done) => writer.add({ attempt, done, isDone: false })),
    get waiting() {
      return writer.waiting;
    },
    get isHealthy() {
      return writer.isHealthy;
    },
    get isStalled() {
      return writer.isStalled;
    },
    stop: (graceMs) => writer.drain(graceMs),
  };
}
