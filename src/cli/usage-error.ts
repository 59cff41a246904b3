/** A command line that cannot be understood; the message says what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
