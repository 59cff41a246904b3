// Beside the path: writes down again and again that this installation lives, so that the next start knows since when not.

/** What it is joined with. */
export interface SignOfLifeOptions {
  readonly store: { signOfLife(): Promise<void> };
}

const pauseMs = 10_000;

/** One turn. Answers in how many ms the next is wanted. */
export function createSignOfLife({ store }: SignOfLifeOptions): () => Promise<number> {
  return async () => {
    await store.signOfLife();
    return pauseMs;
  };
}
