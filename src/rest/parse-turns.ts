// Large bodies are parsed one per turn of the event loop, accounts in turn.
import { FairQueue } from '#lib/fair-queue.ts';

/** Bodies up to this many bytes are parsed at once. */
const smallBytes = 32 * 1024;

/** Resolves when a body of this account and size may be parsed; null = at once. */
export type ParseTurn = (accountId: string, bytes: number) => Promise<void> | null;

/** Creates the queue that all requests of a server share. */
export function createParseTurns(): ParseTurn {
  const waiting = new FairQueue<() => void>();
  let isPlanned = false;
  const next = (): void => {
    waiting.next()?.();
    isPlanned = waiting.size > 0;
    if (isPlanned) setImmediate(next);
  };
  return (accountId, bytes) => {
    if (bytes <= smallBytes) return null;
    return new Promise((resolve) => {
      waiting.add(accountId, resolve);
      if (isPlanned) return;
      isPlanned = true;
      setImmediate(next);
    });
  };
}
