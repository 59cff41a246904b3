// Hints between the processes of a database: work is due, or an awaited event occurred. A lost hint only costs latency,
// because every loop polls.

/** Hints to and from other processes. */
export interface Wakes {
  /** Sends a hint, batched with others; does nothing if it cannot. */
  send(name: string): void;
  /**
   * Called with hints of other processes, and with `null` after hints may have been lost: anything may have happened.
   */
  listen(onWake: (name: string | null) => void): void;
  close(): Promise<void>;
}

/** For a process that has the database to itself. */
export const noWakes: Wakes = { send: () => {}, listen: () => {}, close: () => Promise.resolve() };
