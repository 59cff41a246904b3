/**
 * The store is temporarily unavailable: full or read-only disk, a lock, an unreachable server, closing. Nothing was
 * partially written.
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  readonly isTemporary = true;
}

/** Temporary SQLite result codes: busy, locked, read-only, I/O error, full, cannot open. */
const passing: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);

/**
 * Temporary PostgreSQL states: no connection (08), conflicts that outlasted all retries (40), insufficient resources
 * (53), lock timeout (55P03), operator intervention (57), system errors (58), idle transaction timeout (25P03), a
 * read-only server (25006), and rejected connections while access rules change (28, 3D).
 */
const passingState = /^(?:08|28|3D|40|53|57|58)...$|^55P03$|^25006$|^25P0[234]$/;

/** System error codes of connections that fail or break. */
const passingConnection =
  /^(?:ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_|ENOENT|EACCES)|terminated|timeout|not queryable|calling end on the pool/i;

/** Errors of the driver when authentication fails on our side, like the server's `28`. */
const notLetIn = /^SASL:/;

/** The error to throw: temporary engine errors become StoreUnavailableError, all others are unchanged. */
export function storeErrorOf(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(String(cause));
  if (cause instanceof StoreUnavailableError) return cause;
  if ('errcode' in cause && typeof cause.errcode === 'number' && passing.has(cause.errcode & 0xff)) {
    return new StoreUnavailableError(`the database cannot be written: ${cause.message}`, { cause });
  }
  return cause;
}

/** The same for errors of PostgreSQL, its driver or the network. */
export function postgresErrorOf(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(String(cause));
  const code = stateOf(cause);
  const isState = /^[0-9A-Z]{5}$/.test(code) && 'severity' in cause;
  const isTemporary = isState
    ? passingState.test(code)
    : passingConnection.test(code || cause.message) || notLetIn.test(cause.message);
  if (!isTemporary) return cause;
  return new StoreUnavailableError(`the database is not available: ${whyAway(cause)}`, { cause });
}

/** Why PostgreSQL is unavailable, in words for the operator. */
export function whyAway(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (/^SASL: .*client password must be/.test(cause.message))
    return 'it requires a password; put one into the URL, PGPASSWORD or the file named by PGPASSFILE';
  // If all addresses of a name refuse, the error has an empty message.
  return cause.message === '' ? stateOf(cause) : cause.message;
}

/** PostgreSQL's five-character code or the system's error code; '' if there is neither. */
export function stateOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether PostgreSQL ended a statement after a lock timeout (55P03). */
export function isLockBusy(error: unknown): boolean {
  return stateOf(error instanceof StoreUnavailableError ? error.cause : error) === '55P03';
}

/** Whether PostgreSQL is not reachable (yet), so that waiting helps; false if it rejected the connection. */
export function isServerAway(error: unknown): boolean {
  if (!(error instanceof StoreUnavailableError)) return false;
  const { cause } = error;
  const code = stateOf(cause);
  if (/^[0-9A-Z]{5}$/.test(code) && cause instanceof Error && 'severity' in cause) return /^(?:08|53|57)/.test(code);
  const isFile = cause instanceof Error && 'syscall' in cause && cause.syscall === 'open';
  return !isFile && passingConnection.test(code || (cause instanceof Error ? cause.message : ''));
}
