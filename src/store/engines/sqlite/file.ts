// The SQLite file: owned by one process, migrated, and checked after a crash before use.
import { DatabaseSync } from 'node:sqlite';
import { sqliteDialect } from '../../base/dialect.ts';
import { type Migration, migrations, migrationsFrom, type OnMigrating } from '../../base/migrate.ts';
import { damageIn } from '../../base/damage.ts';
import { checkSmallFile, damagedError, DatabaseOpenError } from './check-file.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import { type Connection, openConnection } from './connection.ts';
import { createWriteQueue, type WriteQueue } from './write-queue.ts';

/** Options of opening a file. */
export interface FileOptions {
  readonly onMigrating?: OnMigrating;
  /** How long a write waits for others to share its commit, ms. */
  readonly gatherMs?: number;
  /** Replaces the schema versions of this program, for tests. */
  readonly migrations?: readonly Migration[];
}

/** An open SQLite file. Reads outside transactions use `reader`, all writes the queue. */
export interface SqliteFile {
  readonly path: string;
  readonly reader: Connection;
  readonly queue: WriteQueue;
  /** Whether the previous process ended without closing the file. */
  readonly wasCrashed: boolean;
  close(): Promise<void>;
}

/**
 * Opens the file at `path`, and creates or migrates its schema. Throws DatabaseOpenError (in use, damaged, not a
 * database, folder not writable) and NewerDatabaseError.
 */
export function openSqliteFile(
  path: string,
  { gatherMs, onMigrating = () => undefined, migrations: all = migrations }: FileOptions = {},
): SqliteFile {
  const lock = takeLock(path);
  const opened: Connection[] = [];
  try {
    const writer = openConnection(path, 'write');
    opened.push(writer);
    checkSmallFile(writer.database, path);
    migrate(writer, onMigrating, all);
    const marked = writer.prepare(`SELECT value FROM installation WHERE key = 'file'`).get();
    // The previous process did not close the file.
    const wasCrashed = marked?.['value'] === 'open';
    mark(writer, 'open');
    const reader = openConnection(path, 'read');
    opened.push(reader);
    const checkpoints = createCheckpoints(path, writer);
    const queue = createWriteQueue(writer, checkpoints.noteCommit, gatherMs);
    return { path, reader, wasCrashed, ...lifeOf(queue, checkpoints, writer, reader, lock) };
  } catch (cause) {
    for (const connection of opened) connection.close();
    lock.close();
    throw openErrorOf(path, cause);
  }
}

function lifeOf(
  queue: WriteQueue,
  checkpoints: Checkpoints,
  writer: Connection,
  reader: Connection,
  lock: DatabaseSync,
): Pick<SqliteFile, 'queue' | 'close'> {
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await queue.drain();
    await checkpoints.close();
    try {
      mark(writer, 'closed');
    } catch {
      // On a full disk, the next start checks the file as after a crash, which does no harm.
    }
    reader.close();
    writer.close();
    lock.close();
  };
  return {
    queue,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/**
 * Locks the file at `path` for this process; closing the result releases it, as does the end of the process. Throws
 * DatabaseOpenError.
 */
export function takeLock(path: string): DatabaseSync {
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock?.close();
    if (cause instanceof Error && cause.message.includes('locked')) {
      throw new DatabaseOpenError(
        `${path} is in use by another Tocsin process: stop that one, or give this one its own TOCSIN_DATA_DIR`,
      );
    }
    throw openErrorOf(path, cause);
  }
}

/** Errors about an unusable file, with instructions; all others are unchanged. */
export function openErrorOf(path: string, cause: unknown): Error {
  if (!(cause instanceof Error) || !('errcode' in cause))
    return cause instanceof Error ? cause : new Error(String(cause));
  const finding = damageIn(cause);
  if (finding !== null) return damagedError(path, finding);
  return new DatabaseOpenError(
    `the database ${path} cannot be opened (${cause.message}): check that the folder exists and is writable, ` +
      `or set TOCSIN_DATA_DIR to another one`,
    { cause },
  );
}

function migrate(
  writer: Connection,
  onMigrating: NonNullable<FileOptions['onMigrating']>,
  all: readonly Migration[],
): void {
  const found = Number(writer.database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  const statements = migrationsFrom(found, sqliteDialect, all);
  // A version may change only the other engine; it is recorded anyway.
  if (found === all.length) return;
  if (found > 0) onMigrating({ from: found, to: all.length });
  writer.database.exec('BEGIN IMMEDIATE');
  try {
    for (const statement of statements) writer.database.exec(statement);
    writer.database.exec(`PRAGMA user_version = ${all.length}; COMMIT`);
  } catch (cause) {
    writer.database.exec('ROLLBACK');
    throw cause;
  }
}

function mark(writer: Connection, state: 'open' | 'closed'): void {
  writer
    .prepare(
      `INSERT INTO installation (key, value) VALUES ('file', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    )
    .run(state);
}
