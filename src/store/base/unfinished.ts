// Prevents a start on the target of an unfinished copy.

/** The fact of `installation` with the progress of a copy into this database. */
export const copyingFact = 'copying';

/** This database is the target of an unfinished copy; the message says what to do. */
export class UnfinishedCopyError extends Error {
  override readonly name = 'UnfinishedCopyError';
  constructor(shown: string) {
    super(`${shown}: a copy was not finished. Run the same migrate command again to finish it.`);
  }
}
