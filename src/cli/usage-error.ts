/** An invalid command line. The message says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
