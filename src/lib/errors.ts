// What is known of errors that were caught.

/** A temporary error, such as a full disk: the work waits and is retried. */
export interface TemporaryError extends Error {
  readonly isTemporary: true;
}

/** Whether an error is temporary. */
export function isTemporary(error: unknown): error is TemporaryError {
  return error instanceof Error && 'isTemporary' in error && error.isTemporary === true;
}

/** What went wrong, whatever was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
