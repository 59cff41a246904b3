// How a command ends: exit codes, and the errors that choose them.

/** An invalid command line. The message says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failed command. The message gives the reason and the remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/**
 * Exit codes for scripts: 0 success · 1 failure or problem found · 2 invalid command line · 78 invalid configuration.
 */
export const exitCodes = { ok: 0, failed: 1, usage: 2, config: 78 } as const;
