// Findings become results, states, alerts and one delivery per subscribed channel, in one durable commit.
import type { DeliveryFacts, EndedAttempt, Recorded, Rendered } from '#domain/recording.ts';
import type { Clock } from '#lib/clock.ts';

/** What this step needs of the store. */
interface RecordStore {
  recordAttempts(
    attempts: readonly EndedAttempt[],
    rules: {
      readonly owner: string;
      readonly now: number;
      readonly render: (facts: DeliveryFacts) => Rendered;
      readonly statusOf: (attempt: EndedAttempt) => number | null;
    },
  ): Promise<Recorded[]>;
}

/** What the step is joined with. */
export interface RecordResultsOptions {
  readonly store: RecordStore;
  readonly clock: Clock;
  readonly owner: string;
  readonly render: (facts: DeliveryFacts) => Rendered;
  /** The status code that a finding carries, where its kind has one. */
  readonly statusOf: (attempt: EndedAttempt) => number | null;
  /** Told of what was recorded: deliveries to send, runs to try again, batches that wait. */
  readonly onRecorded: (attempt: EndedAttempt, recorded: Recorded) => void;
  readonly onError: (error: unknown, waiting: number) => void;
}

const attemptsPerCommit = 200;
/** Findings kept in memory while the store cannot be written; beyond it the oldest are dropped, and run again. */
const waitingMost = 20_000;
const retryMs = 500;

/** The step: findings come in, and what cannot be written now waits here until it can. */
export interface RecordResults {
  /** Resolves when the attempt is durable (or was dropped: its lease runs out and the run is repeated). */
  record(attempt: EndedAttempt): Promise<void>;
  /** Findings that are not durable yet. */
  readonly waiting: number;
  readonly isHealthy: boolean;
  /** Writes what waits; gives up on it after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

interface Waiting {
  readonly attempt: EndedAttempt;
  readonly done: () => void;
}

export function createRecordResults(options: RecordResultsOptions): RecordResults {
  const queue: Waiting[] = [];
  let isWriting = false;
  let isPlanned = false;
  let isHealthy = true;

  const plan = (inMs: number): void => {
    if (isPlanned || isWriting) return;
    isPlanned = true;
    if (inMs === 0) setImmediate(write);
    else setTimeout(write, inMs);
  };
  const write = async (): Promise<void> => {
    isPlanned = false;
    isWriting = true;
    const batch = queue.splice(0, attemptsPerCommit);
    isHealthy = await writeBatch(batch, queue, options);
    isWriting = false;
    if (queue.length > 0) plan(isHealthy ? 0 : retryMs);
  };

  return {
    record: (attempt) =>
      new Promise<void>((resolve) => {
        if (queue.length >= waitingMost) queue.shift()?.done();
        queue.push({ attempt, done: resolve });
        plan(0);
      }),
    get waiting() {
      return queue.length;
    },
    get isHealthy() {
      return isHealthy;
    },
    async stop(graceMs) {
      const deadline = Date.now() + graceMs;
      while ((queue.length > 0 || isWriting) && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** Writes a batch; what the store could not take goes back to the front of the queue. */
async function writeBatch(batch: Waiting[], queue: Waiting[], options: RecordResultsOptions): Promise<boolean> {
  const { store, clock, owner, render, statusOf } = options;
  const rules = { owner, now: clock.now(), render, statusOf };
  try {
    const recorded = await store.recordAttempts(
      batch.map(({ attempt }) => attempt),
      rules,
    );
    batch.forEach(({ attempt, done }, index) => {
      const outcome = recorded[index];
      if (outcome !== undefined) options.onRecorded(attempt, outcome);
      done();
    });
    return true;
  } catch (error) {
    options.onError(error, batch.length + queue.length);
    if (isPassing(error)) {
      queue.unshift(...batch);
      return false;
    }
    // One attempt that cannot be recorded must not hold up the others: each gets a commit of its own.
    if (batch.length > 1) for (const waiting of batch) await writeBatch([waiting], queue, options);
    else for (const { done } of batch) done();
    return true;
  }
}

/** Whether a fault passes when the operator acts (full disk, database away), so that waiting makes sense. */
function isPassing(error: unknown): boolean {
  return error instanceof Error && error.name === 'StoreUnavailableError';
}
