/** A command that cannot do what was asked; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
