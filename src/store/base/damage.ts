// Recognizes errors about a damaged database.

/** SQLite's result codes for a damaged file (11) or one that is not a database (26). */
const damagedFile: ReadonlySet<number> = new Set([11, 26]);
/** PostgreSQL's states for damaged data and indexes. */
const damagedServer: ReadonlySet<unknown> = new Set(['XX001', 'XX002']);
/** Maximum number of causes to follow. */
const maxCauses = 5;

/** What an error, or one of its causes, says about a damaged database; null = nothing. */
export function damageIn(error: unknown): string | null {
  let cause = error;
  for (let depth = 0; depth < maxCauses && cause instanceof Error; depth++) {
    const isFile = 'errcode' in cause && typeof cause.errcode === 'number' && damagedFile.has(cause.errcode & 0xff);
    const isServer = 'code' in cause && damagedServer.has(cause.code);
    if (isFile || isServer) return cause.message;
    cause = cause.cause;
  }
  return null;
}
