// Only databases with the current schema can be copied; migrations handle older ones.
import { NewerDatabaseError, schemaVersion } from '../base/migrate.ts';

/** The database has an older version; the message says what to do. */
export class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError';
}

/** Throws NewerDatabaseError or OlderDatabaseError unless `found` is the version of this program. */
export function checkVersion(shown: string, found: number): void {
  if (found > schemaVersion) throw new NewerDatabaseError(found);
  if (found === schemaVersion) return;
  throw new OlderDatabaseError(
    found === 0
      ? `${shown} does not contain a Tocsin installation`
      : `${shown} has version ${found}, not ${schemaVersion}: start this version of Tocsin with it once`,
  );
}
