// Versioned migrations: forward only, each in one transaction. A newer database is refused.
import type { Dialect } from './dialect.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';

/** The statements that migrate from one schema version to the next. */
export type Migration = (dialect: Dialect) => string[];

/** The schema's versions in order; the first is version 1. Never edit a released one: add another. */
export const migrations: readonly Migration[] = [firstSchema];

/** The version that this program requires. */
export const schemaVersion: number = migrations.length;

/** A migration of an existing database that is about to begin. */
export interface SchemaMigration {
  /** null = another process has been migrating for a second. */
  readonly from: number | null;
  readonly to: number;
}

/** Called before the schema of an older database is migrated, which may take minutes. */
export type OnMigrating = (news: SchemaMigration) => void;

/** The database was written by a newer version of Tocsin. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
  constructor(found: number) {
    super(
      `the database has schema version ${found}, this version of Tocsin knows ${schemaVersion}: ` +
        `start the newer version again, or restore a backup taken before the update`,
    );
  }
}

/** The statements that migrate from schema version `found` to the newest. Throws NewerDatabaseError. */
export function migrationsFrom(found: number, dialect: Dialect, all: readonly Migration[] = migrations): string[] {
  if (found > all.length) throw new NewerDatabaseError(found);
  return all.slice(found).flatMap((migration) => migration(dialect));
}
