// A copy that was not finished is no installation: nothing may start on it.

/** The fact of `installation` that says where a copy into this database stands. */
export const copyingFact = 'copying';

/** This database is the target of a copy that did not end; the message says what to do. */
export class UnfinishedCopyError extends Error {
  override readonly name = 'UnfinishedCopyError';
  constructor(shown: string) {
    super(`${shown}: a copy was not finished. Run the same migrate command again to finish it.`);
  }
}
