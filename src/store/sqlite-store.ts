// Opens the store of a SQLite file.
import { auditedTransactions } from './base/audit/audited-transactions.ts';
import type { Database } from './base/database.ts';
import { sqliteDialect } from './base/dialect.ts';
import { createSeal } from './base/seal.ts';
import { type FileOptions, openSqliteFile } from './engines/sqlite/file.ts';
import { checkSqliteKey } from './engines/sqlite/key-check.ts';
import { createSqlitePath } from './path/sqlite-path.ts';
import { createSqliteRetention } from './history/sqlite-retention.ts';
import { createSqliteRollUps } from './history/sqlite-roll-ups.ts';
import { type EngineOptions, nounsOf, type Store } from './store.ts';
import { noWakes } from './base/wakes.ts';

/** Options of opening the store. */
export interface StoreOptions extends EngineOptions, FileOptions {
  /** The SQLite file; created if missing. */
  readonly path: string;
  /** Monotonic clock, ms, for the duration of deletion slices. Default: that of this process. */
  readonly steadyNow?: () => number;
}

/** Opens and migrates the store. Throws DatabaseOpenError, NewerDatabaseError or WrongKeyError with instructions. */
export function openStore(options: StoreOptions): Store {
  const { path, secretKey, clock, ownLocation = 'local', limits = {}, steadyNow = () => performance.now() } = options;
  const file = openSqliteFile(path, options);
  const seal = createSeal(secretKey);
  try {
    checkSqliteKey(file, seal);
  } catch (error) {
    void file.close();
    throw error;
  }
  const transaction = auditedTransactions((work) => file.queue.single((connection) => work(connection.kysely)), {
    seal,
    clock,
  });
  const database: Database = {
    dialect: sqliteDialect,
    reader: file.reader.kysely,
    transaction,
    // There is one writer, so there are no conflicts.
    waitingTransaction: transaction,
    seal,
    clock,
    limits,
    ownLocation,
  };
  return {
    ...nounsOf(database),
    path: createSqlitePath(file, database.seal),
    retention: createSqliteRetention(file, steadyNow),
    rollUps: createSqliteRollUps(file),
    wakes: noWakes,
    wasCrashed: file.wasCrashed,
    close: () => file.close(),
  };
}
