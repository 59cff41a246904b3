// Whether the installation's key is the one that sealed this database: found at the start, not at the first secret.
import type { Database } from './database.ts';
import { copyingFact, UnfinishedCopyError } from './unfinished.ts';
import type { Seal } from './seal.ts';

/** The key does not open what the database holds. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError';
}

/** The fact of the installation that holds the mark. */
export const keyMark = 'key-check';

/**
 * Opens a sealed mark that the first start leaves in the database.
 *
 * @param shown how the database is named to people
 * @throws {WrongKeyError} when another key sealed it
 * @throws {UnfinishedCopyError} when a copy into this database did not end
 */
export async function checkKey({ transaction, seal }: Database, shown: string): Promise<void> {
  const mark = await transaction(async (tx) => {
    const facts = tx.selectFrom('installation').select('value');
    if ((await facts.where('key', '=', copyingFact).executeTakeFirst()) !== undefined) {
      throw new UnfinishedCopyError(shown);
    }
    const row = await facts.where('key', '=', keyMark).executeTakeFirst();
    if (row === undefined)
      await tx
        .insertInto('installation')
        .values({ key: keyMark, value: seal.seal(keyMark) })
        .execute();
    return row?.value ?? null;
  });
  if (mark !== null) openMark(seal, mark, shown);
}

/** Throws WrongKeyError when the mark was sealed with another key. */
export function openMark(seal: Seal, mark: string, database: string): void {
  try {
    seal.open(mark);
  } catch {
    throw new WrongKeyError(
      `the secret key is not the one that sealed the database ${database}: set TOCSIN_SECRET_KEY to that one, ` +
        `or put the secret.key back that was kept with it`,
    );
  }
}
