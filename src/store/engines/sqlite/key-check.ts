// Verifies that the installation's key matches this file.
import { keyMark, openMark } from '../../base/key-check.ts';
import { copyingFact, UnfinishedCopyError } from '../../base/unfinished.ts';
import type { Seal } from '../../base/seal.ts';
import type { SqliteFile } from './file.ts';

/**
 * Decrypts a marker that the first start wrote to the database.
 * @throws {WrongKeyError} if it was encrypted with another key
 */
export function checkSqliteKey({ path, reader, queue }: SqliteFile, seal: Seal): void {
  const fact = reader.prepare('SELECT value FROM installation WHERE key = ?');
  if (fact.get(copyingFact) !== undefined) throw new UnfinishedCopyError(path);
  const row = fact.get(keyMark);
  if (row === undefined) {
    const leaveMark = `INSERT INTO installation (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING`;
    // On a full disk, a later start writes the marker.
    queue.group((connection) => connection.prepare(leaveMark).run(keyMark, seal.seal(keyMark))).catch(() => undefined);
    return;
  }
  openMark(seal, String(row['value']), path);
}
