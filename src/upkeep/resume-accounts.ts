// Beside the path: accounts that were paused to be moved, and whose move nobody goes on with, go on here
// (docs/decisions/0046).

/** What it is joined with. */
export interface ResumeAccountsOptions {
  readonly store: { resumeLapsed(): Promise<number> };
  readonly onResumed: (accounts: number) => void;
}

const pauseMs = 10_000;

/** One turn. Answers in how many ms the next is wanted. */
export function createResumeAccounts({ store, onResumed }: ResumeAccountsOptions): () => Promise<number> {
  return async () => {
    const accounts = await store.resumeLapsed();
    if (accounts > 0) onResumed(accounts);
    return pauseMs;
  };
}
