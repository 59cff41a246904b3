// Answers that are ready in one turn of the event loop leave together.

/**
 * Resolves when this turn has read everything that had arrived. A write to a client that sleeps wakes it, which costs as
 * much as a small request: after the first answer of a turn it is awake for the others
 * (docs/decisions/0028).
 */
export type EndOfTurn = () => Promise<void>;

/** Makes the wait that all requests of a server share. */
export function createEndOfTurn(): EndOfTurn {
  let end: Promise<void> | null = null;
  return () =>
    (end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = null;
        resolve();
      });
    }));
}
