/** The store cannot do its work now: full or read-only disk, a lock held, closing. Nothing was half written. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  readonly isPassing = true;
}

/** SQLite's result codes that pass when the operator acts: busy, locked, read-only, I/O error, full, cannot open. */
const passing: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);

/** The error to hand on: engine faults that may pass become StoreUnavailableError, everything else stays what it is. */
export function storeErrorOf(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(String(cause));
  if ('errcode' in cause && typeof cause.errcode === 'number' && passing.has(cause.errcode & 0xff)) {
    return new StoreUnavailableError(`the database cannot be written: ${cause.message}`, { cause });
  }
  return cause;
}
