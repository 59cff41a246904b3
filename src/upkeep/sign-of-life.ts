// Beside the path: writes down again and again that this process lives, so that the others know it, and the next start
// knows since when nobody did.
import { signPauseMs } from '#domain/accounts/process.ts';

/** What it is joined with. */
export interface SignOfLifeOptions {
  readonly ownProcess: { sign(): Promise<void> };
}

/** One turn. Answers in how many ms the next is wanted. */
export function createSignOfLife({ ownProcess }: SignOfLifeOptions): () => Promise<number> {
  return async () => {
    await ownProcess.sign();
    return signPauseMs;
  };
}
