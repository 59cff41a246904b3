/** A failed command. The message gives the reason and the remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
