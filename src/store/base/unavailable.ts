/** The store cannot do its work now: full or read-only disk, a lock held, a server away, closing. Nothing was half written. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  readonly isPassing = true;
}

/** SQLite's result codes that pass when the operator acts: busy, locked, read-only, I/O error, full, cannot open. */
const passing: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);

/**
 * PostgreSQL's states that pass: no connection (08), conflicts that outlasted every repetition (40), no room or too many
 * connections (53), a lock not had in time (55P03), a statement or server that was ended (57), the system's own faults
 * (58), a transaction that stood still for too long (25P03), a server that only reads (25006), and one that does not let us in while its rules are changed (28, 3D).
 */
const passingState = /^(?:08|28|3D|40|53|57|58)...$|^55P03$|^25006$|^25P0[234]$/;

/** What the system says of a connection that cannot be had or is gone. */
const passingConnection =
  /^(?:ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_|ENOENT|EACCES)|terminated|timeout|not queryable|calling end on the pool/i;

/** What the driver says when it gives up to prove who it is: the server's `28` said by this side. */
const notLetIn = /^SASL:/;

/** The error to hand on: engine faults that may pass become StoreUnavailableError, everything else stays what it is. */
export function storeErrorOf(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(String(cause));
  if (cause instanceof StoreUnavailableError) return cause;
  if ('errcode' in cause && typeof cause.errcode === 'number' && passing.has(cause.errcode & 0xff)) {
    return new StoreUnavailableError(`the database cannot be written: ${cause.message}`, { cause });
  }
  return cause;
}

/** The same for what PostgreSQL, its driver or the network between reports. */
export function postgresErrorOf(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(String(cause));
  const code = stateOf(cause);
  const isState = /^[0-9A-Z]{5}$/.test(code) && 'severity' in cause;
  const isPassing = isState
    ? passingState.test(code)
    : passingConnection.test(code || cause.message) || notLetIn.test(cause.message);
  if (!isPassing) return cause;
  return new StoreUnavailableError(`the database is not available: ${whyAway(cause)}`, { cause });
}

/** Why a PostgreSQL is not available, in words for who runs the service. */
export function whyAway(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (/^SASL: .*client password must be/.test(cause.message))
    return 'it asks for a password, and there is none: put one into the address, PGPASSWORD or the file that PGPASSFILE names';
  // Several addresses of one name refuse with one error whose message is empty.
  return cause.message === '' ? stateOf(cause) : cause.message;
}

/** PostgreSQL's five characters, or the name that the system gives the fault; '' when there is neither. */
export function stateOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether a PostgreSQL ended a statement because it had waited for a lock as long as it may (55P03). */
export function isLockBusy(error: unknown): boolean {
  return stateOf(error instanceof StoreUnavailableError ? error.cause : error) === '55P03';
}

/** Whether a PostgreSQL could not be reached, or not yet, so that waiting helps; not when it turned us away. */
export function isServerAway(error: unknown): boolean {
  if (!(error instanceof StoreUnavailableError)) return false;
  const { cause } = error;
  const code = stateOf(cause);
  if (/^[0-9A-Z]{5}$/.test(code) && cause instanceof Error && 'severity' in cause) return /^(?:08|53|57)/.test(code);
  const isFile = cause instanceof Error && 'syscall' in cause && cause.syscall === 'open';
  return !isFile && passingConnection.test(code || (cause instanceof Error ? cause.message : ''));
}
