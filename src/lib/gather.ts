// Collects items during a write and writes them together; each caller gets its own result.

export interface GatherOptions<Item, Answer> {
  /** Returns results in the order of the items; an error rejects all of them. */
  readonly write: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** Maximum number of items per write. */
  readonly max: number;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Takes an item; resolves when it is written. */
export function createGather<Item, Answer>({
  write,
  max,
}: GatherOptions<Item, Answer>): (item: Item) => Promise<Answer> {
  const queue: Waiting<Item, Answer>[] = [];
  let isBusy = false;
  const run = async (): Promise<void> => {
    while (queue.length > 0) await writeSome(queue.splice(0, max), write);
    isBusy = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (isBusy) return;
      isBusy = true;
      // Items added in this turn of the event loop are included.
      setImmediate(run);
    });
}

async function writeSome<Item, Answer>(
  batch: readonly Waiting<Item, Answer>[],
  write: GatherOptions<Item, Answer>['write'],
): Promise<void> {
  try {
    const answers = await write(batch.map(({ item }) => item));
    batch.forEach(({ resolve, reject }, index) => {
      const answer = answers[index];
      if (answer === undefined) reject(new Error('an item was written without a result'));
      else resolve(answer);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
