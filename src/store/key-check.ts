// Whether the installation's key is the one that sealed this database: found at the start, not at the first secret.
import type { Database } from './database.ts';
import { copyingFact, UnfinishedCopyError } from './move/unfinished.ts';
import type { Seal } from './seal.ts';
import type { SqliteFile } from './sqlite/file.ts';

/** The key does not open what the database holds. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError';
}

const name = 'key-check';

/**
 * Opens a sealed mark that the first start leaves in the database.
 *
 * @throws {WrongKeyError} when another key sealed it
 * @throws {UnfinishedCopyError} when a copy into this database did not end
 */
export function checkKey({ path, reader, queue }: SqliteFile, seal: Seal): void {
  const fact = reader.prepare('SELECT value FROM installation WHERE key = ?');
  if (fact.get(copyingFact) !== undefined) throw new UnfinishedCopyError(path);
  const row = fact.get(name);
  if (row === undefined) {
    const leaveMark = `INSERT INTO installation (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING`;
    // On a full disk the mark is left by a later start.
    queue.group((connection) => connection.prepare(leaveMark).run(name, seal.seal(name))).catch(() => undefined);
    return;
  }
  openMark(seal, String(row['value']), path);
}

/** The same for a database of PostgreSQL; `shown` names it. */
export async function checkPostgresKey({ transaction, seal }: Database, shown: string): Promise<void> {
  const mark = await transaction(async (tx) => {
    const facts = tx.selectFrom('installation').select('value');
    if ((await facts.where('key', '=', copyingFact).executeTakeFirst()) !== undefined) {
      throw new UnfinishedCopyError(shown);
    }
    const row = await facts.where('key', '=', name).executeTakeFirst();
    if (row === undefined)
      await tx
        .insertInto('installation')
        .values({ key: name, value: seal.seal(name) })
        .execute();
    return row?.value ?? null;
  });
  if (mark !== null) openMark(seal, mark, shown);
}

function openMark(seal: Seal, mark: string, database: string): void {
  try {
    seal.open(mark);
  } catch {
    throw new WrongKeyError(
      `the secret key is not the one that sealed the database ${database}: set TOCSIN_SECRET_KEY to that one, ` +
        `or put the secret.key back that was kept with it`,
    );
  }
}
