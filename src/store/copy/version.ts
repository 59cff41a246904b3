// Only databases of the present schema are copied: what an older one means is for its migrations to say.
import { NewerDatabaseError, schemaVersion } from '../base/migrate.ts';

/** The database is of an older version; the message says what to do. */
export class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError';
}

/** Throws NewerDatabaseError or OlderDatabaseError unless `found` is the version that this program knows. */
export function checkVersion(shown: string, found: number): void {
  if (found > schemaVersion) throw new NewerDatabaseError(found);
  if (found === schemaVersion) return;
  throw new OlderDatabaseError(
    found === 0
      ? `${shown} holds no installation of Tocsin`
      : `${shown} is of version ${found}, not ${schemaVersion}: start this Tocsin with it once`,
  );
}
