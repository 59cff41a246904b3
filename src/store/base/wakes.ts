// Hints between the processes of one database: there is work, or what somebody waits for has happened. A lost one costs
// latency and nothing else, because every loop looks by itself.

/** Hints to other processes, and from them. */
export interface Wakes {
  /** Tells the others, soon and many at a time; says nothing when it cannot. */
  send(name: string): void;
  /** Is told what others sent; after a time in which hints may have been lost, of `null`: anything may have happened. */
  listen(onWake: (name: string | null) => void): void;
  close(): Promise<void>;
}

/** Where one process has the database to itself there is nobody to tell. */
export const noWakes: Wakes = { send: () => {}, listen: () => {}, close: () => Promise.resolve() };
