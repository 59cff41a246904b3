// Gathers what arrives while a batch is being written, and writes it together: each item is answered for by itself.

/** How a gatherer works. */
export interface GatherOptions<Item, Answer> {
  /** Answers in the order of the items; what it throws, all of them are told. */
  readonly write: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** Items in one write at most. */
  readonly most: number;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Takes an item; resolves when it is written. */
export function createGather<Item, Answer>({
  write,
  most,
}: GatherOptions<Item, Answer>): (item: Item) => Promise<Answer> {
  const queue: Waiting<Item, Answer>[] = [];
  let isBusy = false;
  const run = async (): Promise<void> => {
    while (queue.length > 0) await writeSome(queue.splice(0, most), write);
    isBusy = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (isBusy) return;
      isBusy = true;
      // What else comes in this turn of the event loop goes along.
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
      if (answer === undefined) reject(new Error('an item was written without an answer'));
      else resolve(answer);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
