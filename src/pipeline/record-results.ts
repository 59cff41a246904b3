// Findings become results, states, alerts and one delivery per subscribed channel, in one durable commit
// (docs/decisions/0020: what was found passes in memory).
import type { DeliveryFacts, EndedAttempt, Prepared, Recorded } from '#domain/recording.ts';
import { createBatchWriter } from '#lib/batch-writer.ts';
import type { Clock } from '#lib/clock.ts';
import { isPassing } from '#lib/passing.ts';

/** What this step needs of the store. */
interface RecordStore {
  recordAttempts(
    attempts: readonly EndedAttempt[],
    rules: {
      readonly owner: string;
      readonly now: number;
      readonly render: (facts: DeliveryFacts) => Prepared;
      readonly statusOf: (attempt: EndedAttempt) => number | null;
    },
  ): Promise<Recorded[]>;
}

/** What the step is joined with. */
export interface RecordResultsOptions {
  readonly store: RecordStore;
  readonly clock: Clock;
  readonly owner: string;
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
}

export function createRecordResults(options: RecordResultsOptions): RecordResults {
  const { store, clock, owner, render, statusOf } = options;
  const writer = createBatchWriter<Waiting>({
    write: async (batch) => {
      const attempts = batch.map(({ attempt }) => attempt);
      const recorded = await store.recordAttempts(attempts, { owner, now: clock.now(), render, statusOf });
      batch.forEach(({ attempt, done }, index) => {
        const outcome = recorded[index];
        if (outcome !== undefined) options.onRecorded(attempt, outcome);
        done(outcome ?? null);
      });
    },
    isPassing,
    onError: options.onError,
    onDropped: ({ done }) => done(null),
    batchMost: attemptsPerCommit,
    waitingMost,
    retryMs,
  });
  return {
    record: (attempt) => new Promise((done) => writer.add({ attempt, done })),
    get waiting() {
      return writer.waiting;
    },
    get isHealthy() {
      return writer.isHealthy;
    },
    stop: (graceMs) => writer.drain(graceMs),
  };
}
