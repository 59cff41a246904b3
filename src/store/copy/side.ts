// One of the two databases of a copy: a common interface for both engines.
import { createSeal, type Seal } from '../base/seal.ts';
import type { Database } from '../base/database.ts';
import { keyMark, openMark } from '../base/key-check.ts';
import { NewerDatabaseError, schemaVersion } from '../base/migrate.ts';
import { findFact } from '../base/installation-fact.ts';
import type { Db } from '../base/tables/schema.ts';
import type { Row, TableShape } from './table.ts';

/** A database to read from or copy into. Every method rejects if it cannot be reached; `transaction` may repeat. */
export interface Side extends Pick<Database, 'reader' | 'transaction'> {
  /** Its address for display. */
  readonly shown: string;
  /** All tables, ordered by name. */
  readonly tables: readonly TableShape[];
  /** Inserts new rows, which have every column. */
  insert(tx: Db, table: TableShape, rows: readonly Row[]): Promise<void>;
  /** Deletes all rows of a table. */
  clear(tx: Db, table: TableShape): Promise<unknown>;
  /** Current time there, epoch ms. */
  now(): Promise<number>;
  /** Prepares partitions for the days of the rows to be written. */
  prepare(table: TableShape, rows: readonly Row[]): Promise<void>;
  /** Updates statistics after many rows were written to these tables. */
  settle(tables: readonly TableShape[]): Promise<void>;
  /** Whether a process uses this database: a sentence that says so, or null. */
  usedBy(): Promise<string | null>;
  close(): Promise<void>;
}

/**
 * How a database is opened. `read`: while its service may be running. `copy`: as the source, which is never migrated.
 * `move`: the same, to delete from it. `fill`: as the target, which is created and migrated if necessary.
 */
export type SideUse = 'read' | 'copy' | 'move' | 'fill';

/** A table by its name. */
export function tableOf({ tables }: Pick<Side, 'tables'>, name: string): TableShape {
  const table = tables.find((each) => each.name === name);
  if (table === undefined) throw new Error(`the database has no table ${name}`);
  return table;
}

/** The encryption by a key of 32 bytes. Throws WrongKeyError if the side's secrets were encrypted with another one. */
export async function sealOf(side: Pick<Side, 'reader' | 'shown'>, key: Uint8Array): Promise<Seal> {
  const seal = createSeal(key);
  const mark = await findFact(side.reader, keyMark);
  if (mark !== null) openMark(seal, mark, side.shown);
  return seal;
}

/** The database has an older version; the message says what to do. */
export class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError';
}

/**
 * Throws NewerDatabaseError or OlderDatabaseError unless `found` is the version of this program: only databases with
 * the current schema can be copied.
 */
export function checkVersion(shown: string, found: number): void {
  if (found > schemaVersion) throw new NewerDatabaseError(found);
  if (found === schemaVersion) return;
  throw new OlderDatabaseError(
    found === 0
      ? `${shown} does not contain a Tocsin installation`
      : `${shown} has version ${found}, not ${schemaVersion}: start this version of Tocsin with it once`,
  );
}
