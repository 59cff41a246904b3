// Beside the path: accounts that were paused to be moved, and whose move nobody goes on with, go on here, or are told of
// where only the command that moves them can go on (docs/decisions/0046, 0047).
import type { StalledMove } from '#domain/account-move.ts';

/** What it is joined with. */
export interface ResumeAccountsOptions {
  readonly store: { resumeLapsed(): Promise<number>; stalled(): Promise<readonly StalledMove[]> };
  readonly onResumed: (accounts: number) => void;
  /** Told once of each move that stands still, and again when it has gone on and stands still anew. */
  readonly onStalled: (move: StalledMove) => void;
}

const pauseMs = 10_000;

/** One turn. Answers in how many ms the next is wanted. */
export function createResumeAccounts({ store, onResumed, onStalled }: ResumeAccountsOptions): () => Promise<number> {
  let told: ReadonlySet<string> = new Set();
  return async () => {
    const accounts = await store.resumeLapsed();
    if (accounts > 0) onResumed(accounts);
    const stalled = (await store.stalled()).map((move) => ({ move, key: `${move.accountId} ${move.since}` }));
    for (const { move, key } of stalled) if (!told.has(key)) onStalled(move);
    told = new Set(stalled.map(({ key }) => key));
    return pauseMs;
  };
}
