// Gathers what arrives in one turn of the event loop and writes it together; what cannot be written now waits.

/** Items on their way to a durable write. */
export interface BatchWriter<Item> {
  add(item: Item): void;
  /** Items not written yet. */
  readonly waiting: number;
  /** false while writes fail for a reason that passes. */
  readonly isHealthy: boolean;
  /** Resolves when everything is written, or `graceMs` have passed. */
  drain(graceMs: number): Promise<void>;
}

/** How a batch writer works. */
export interface BatchWriterOptions<Item> {
  readonly write: (batch: readonly Item[]) => Promise<void>;
  /** Whether a fault passes, so that the batch waits and is tried again. */
  readonly isPassing: (error: unknown) => boolean;
  /** Told of every fault, and how many items wait. */
  readonly onError: (error: unknown, waiting: number) => void;
  /** Told of an item that is given up: it cannot be written by itself, or too many wait. */
  readonly onDropped?: (item: Item) => void;
  /** Items in one write at most. */
  readonly batchMost: number;
  /** Items that may wait; beyond it the oldest is given up. */
  readonly waitingMost: number;
  /** Pause before a write that failed once is tried again, ms; it grows to four times as much while writes fail. */
  readonly retryMs: number;
}

export function createBatchWriter<Item>(options: BatchWriterOptions<Item>): BatchWriter<Item> {
  const queue: Item[] = [];
  let isBusy = false;
  let isHealthy = true;
  let failedInARow = 0;
  const idle = new Set<() => void>();

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, options.batchMost);
      const kept = await writeBatch(batch, options, queue.length);
      queue.unshift(...kept);
      isHealthy = kept.length === 0;
      failedInARow = isHealthy ? 0 : failedInARow + 1;
      if (!isHealthy) await pauseAfter(failedInARow, options.retryMs);
    }
    isBusy = false;
    for (const tell of idle) tell();
    idle.clear();
  };

  return {
    add(item) {
      if (queue.length >= options.waitingMost) drop(queue.shift(), options);
      queue.push(item);
      if (isBusy) return;
      isBusy = true;
      setImmediate(run);
    },
    get waiting() {
      return queue.length;
    },
    get isHealthy() {
      return isHealthy;
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

/** Processes that lost the same database come back to it at different moments. */
function pauseAfter(failedInARow: number, retryMs: number): Promise<void> {
  const pauseMs = retryMs * Math.min(2 ** (failedInARow - 1), 4) * (0.5 + Math.random() / 2);
  // What arrives after the database is closed must not keep the process running.
  return new Promise((resolve) => void setTimeout(resolve, pauseMs).unref());
}

/** Writes a batch; answers with what has to wait. One item that cannot be written does not hold up the others. */
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
    if (options.isPassing(error)) return batch;
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
