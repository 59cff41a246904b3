// Batches items of one turn of the event loop into one write; retries what cannot be written now.

/** Items waiting for a durable write. */
export interface BatchWriter<Item> {
  add(item: Item): void;
  /** Number of items not written yet. */
  readonly waiting: number;
  /** false while writes fail with a temporary error. */
  readonly isHealthy: boolean;
  /** Whether items have waited for more than a minute while nothing was written. */
  readonly isStalled: boolean;
  /** Resolves when everything is written, or `graceMs` have passed. */
  drain(graceMs: number): Promise<void>;
}

export interface BatchWriterOptions<Item> {
  readonly write: (batch: readonly Item[]) => Promise<void>;
  /** Whether an error is temporary, so that the batch is retried. */
  readonly isTemporary: (error: unknown) => boolean;
  /** Called for every error, with the number of waiting items. */
  readonly onError: (error: unknown, waiting: number) => void;
  /** Called for an item that is dropped: it cannot be written even alone, or too many are waiting. */
  readonly onDropped?: (item: Item) => void;
  /** Maximum number of items per write. */
  readonly maxBatch: number;
  /** Maximum number of waiting items; beyond it the oldest is dropped. */
  readonly maxWaiting: number;
  /** Delay before a failed write is retried, ms; grows up to fourfold while writes fail. */
  readonly retryMs: number;
}

const stalledAfterMs = 60_000;

export function createBatchWriter<Item>(options: BatchWriterOptions<Item>): BatchWriter<Item> {
  const queue: Item[] = [];
  let isBusy = false;
  let isHealthy = true;
  let failedInARow = 0;
  /** When something was written, or began to wait. */
  let progressAt = 0;
  const idle = new Set<() => void>();

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, options.maxBatch);
      const kept = await writeBatch(batch, options, queue.length);
      queue.unshift(...kept);
      isHealthy = kept.length === 0;
      if (isHealthy) progressAt = performance.now();
      failedInARow = isHealthy ? 0 : failedInARow + 1;
      if (!isHealthy) await pauseAfter(failedInARow, options.retryMs);
    }
    isBusy = false;
    for (const settle of idle) settle();
    idle.clear();
  };

  return {
    add(item) {
      if (queue.length >= options.maxWaiting) drop(queue.shift(), options);
      queue.push(item);
      if (isBusy) return;
      isBusy = true;
      progressAt = performance.now();
      setImmediate(run);
    },
    get waiting() {
      return queue.length;
    },
    get isHealthy() {
      return isHealthy;
    },
    get isStalled() {
      return isBusy && performance.now() - progressAt > stalledAfterMs;
    },
    drain(graceMs) {
      if (!isBusy) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        idle.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}

/** Jitter, so that processes that lost the same database do not reconnect at once. */
function pauseAfter(failedInARow: number, retryMs: number): Promise<void> {
  const pauseMs = retryMs * Math.min(2 ** (failedInARow - 1), 4) * (0.5 + Math.random() / 2);
  // Items that arrive after the database was closed must not keep the process running.
  return new Promise((resolve) => void setTimeout(resolve, pauseMs).unref());
}

/** Writes a batch; returns what must be retried. An item that cannot be written does not block the others. */
async function writeBatch<Item>(
  batch: readonly Item[],
  options: BatchWriterOptions<Item>,
  behind: number,
): Promise<readonly Item[]> {
  try {
    await options.write(batch);
    return [];
  } catch (error) {
    options.onError(error, batch.length + behind);
    if (options.isTemporary(error)) return batch;
    if (batch.length === 1) {
      drop(batch[0], options);
      return [];
    }
    const kept: Item[] = [];
    for (const item of batch) kept.push(...(await writeBatch([item], options, behind)));
    return kept;
  }
}

function drop<Item>(item: Item | undefined, { onDropped }: BatchWriterOptions<Item>): void {
  if (item !== undefined) onDropped?.(item);
}
