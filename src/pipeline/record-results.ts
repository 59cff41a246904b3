// Records findings as results, states, alerts and one delivery per subscribed channel, in one durable commit
// (docs/decisions/0004).
import { judgedNow } from '#domain/checks/state-rules.ts';
import type { DeliveryFacts, EndedAttempt, Judge, Prepared, Recorded } from '#domain/results/recording.ts';
import { createBatchWriter } from '#lib/batch-writer.ts';
import type { Clock } from '#lib/clock.ts';
import { isPassing } from '#lib/passing.ts';

/** What this step needs of the store. */
interface RecordStore {
  /** Records the first of the attempts in one transaction, at least one, and answers for those alone. */
  recordAttempts(
    attempts: readonly EndedAttempt[],
    rules: {
      readonly owner: string;
      readonly now: number;
      readonly render: (facts: DeliveryFacts) => Prepared;
      readonly statusOf: (attempt: EndedAttempt) => number | null;
      readonly judge: Judge;
    },
  ): Promise<Recorded[]>;
}

/** What the step is joined with. */
export interface RecordResultsOptions {
  readonly store: RecordStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Codes of the run locations that are served, this server's own first. */
  readonly locations: () => readonly string[];
  readonly render: (facts: DeliveryFacts) => Prepared;
  /** The status code that a finding carries, where its kind has one. */
  readonly statusOf: (attempt: EndedAttempt) => number | null;
  /** Told of what was recorded: deliveries to send, runs to try again, batches that wait. */
  readonly onRecorded: (attempt: EndedAttempt, recorded: Recorded) => void;
  readonly onError: (error: unknown, waiting: number) => void;
}

const attemptsPerCommit = 200;
/**
 * Findings kept in memory while the store cannot be written; beyond it the oldest are dropped, and run again. As many as
 * may be under way (`underWayMost` of run-checks): a run is under way until its result is durable, so no more can wait; what
 * close-unserved-runs adds are two hundred at most, which are claimed again.
 */
export const waitingMost = 4000;
const retryMs = 500;

/** The step: findings come in, and what cannot be written now waits here until it can. */
export interface RecordResults {
  /** Resolves when the attempt is durable; null = it was dropped: its lease runs out and the run is repeated. */
  record(attempt: EndedAttempt): Promise<Recorded | null>;
  /** Findings that are not durable yet. */
  readonly waiting: number;
  readonly isHealthy: boolean;
  /** Writes what waits; gives up on it after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

interface Waiting {
  readonly attempt: EndedAttempt;
  readonly done: (recorded: Recorded | null) => void;
  isDone: boolean;
}

export function createRecordResults(options: RecordResultsOptions): RecordResults {
  const { store, clock, owner, render, statusOf } = options;
  const settle = (one: Waiting | undefined, recorded: Recorded): void => {
    if (one === undefined) return;
    one.isDone = true;
    options.onRecorded(one.attempt, recorded);
    one.done(recorded);
  };
  const writer = createBatchWriter<Waiting>({
    write: async (batch) => {
      // A batch whose write failed in the middle comes back whole.
      let rest = batch.filter((one) => !one.isDone);
      for (let most = rest.length; rest.length > 0;) {
        const part = rest.slice(0, most);
        const attempts = part.map(({ attempt }) => attempt);
        const now = clock.now();
        const judge: Judge = (attempt, context) => judgedNow(attempt, context, options.locations(), now);
        const recorded = await store.recordAttempts(attempts, { owner, now, render, statusOf, judge });
        recorded.forEach((outcome, index) => settle(part[index], outcome));
        rest = rest.slice(recorded.length);
        most = recorded.length < part.length ? recorded.length : 2 * most;
      }
    },
    isPassing,
    onError: options.onError,
    onDropped: ({ done }) => done(null),
    batchMost: attemptsPerCommit,
    waitingMost,
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
    stop: (graceMs) => writer.drain(graceMs),
  };
}
