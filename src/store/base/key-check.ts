// Verifies at the start, not at the first secret, that the installation's key matches the database.
import { insertRows } from './rows.ts';
import type { Database } from './database.ts';
import { copyingFact, UnfinishedCopyError } from './unfinished.ts';
import type { Seal } from './seal.ts';

/** The key does not match the database. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError';
}

/** The fact that contains the encrypted marker. */
export const keyMark = 'key-check';

/**
 * Decrypts a marker that the first start wrote to the database.
 * @param shown display name of the database
 * @throws {WrongKeyError} if it was encrypted with another key
 * @throws {UnfinishedCopyError} if a copy into this database did not finish
 */
export async function checkKey({ transaction, seal }: Database, shown: string): Promise<void> {
  const mark = await transaction(async (tx) => {
    const facts = tx.selectFrom('installation').select('value');
    if ((await facts.where('key', '=', copyingFact).executeTakeFirst()) !== undefined) {
      throw new UnfinishedCopyError(shown);
    }
    const row = await facts.where('key', '=', keyMark).executeTakeFirst();
    if (row === undefined) await insertRows(tx, 'installation', { key: keyMark, value: seal.seal(keyMark) });
    return row?.value ?? null;
  });
  if (mark !== null) openMark(seal, mark, shown);
}

/** Throws WrongKeyError if the marker was encrypted with another key. */
export function openMark(seal: Seal, mark: string, database: string): void {
  try {
    seal.open(mark);
  } catch {
    throw new WrongKeyError(
      `the secret key does not match the database ${database}: set TOCSIN_SECRET_KEY to the original key, ` +
        `or restore the secret.key file that belongs to it`,
    );
  }
}
