// Parses the databases of `--from` and `--to` and opens them for a copy.
import type { VerifiedTable } from '#store/copy/copy-installation.ts';
import { CommandError } from './command-error.ts';
import type { Progress } from './progress.ts';
import type { PostgresAddress } from '#lib/net/postgres-address.ts';
import { openPostgresSource, openPostgresTarget } from '#store/copy/postgres-side.ts';
import { openSqliteReader, openSqliteSource, openSqliteTarget } from '#store/copy/sqlite-side.ts';
import type { Side } from '#store/copy/side.ts';

/** A database of either engine. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly address: PostgresAddress };

/** Whether two addresses are textually the same database. */
export function isSameDatabase(a: DatabaseAddress, b: DatabaseAddress): boolean {
  if (a.kind === 'sqlite' && b.kind === 'sqlite') return a.path === b.path;
  if (a.kind === 'sqlite' || b.kind === 'sqlite') return false;
  const place = ({ host, port, database }: PostgresAddress): string => `${host} ${port} ${database}`;
  return place(a.address) === place(b.address);
}

/** Opens the source. Throws if it cannot be opened, is in use or has another schema version. */
export function openSource(address: DatabaseAddress, mode: 'read' | 'write' = 'read'): Promise<Side> {
  return address.kind === 'postgres' ? openPostgresSource(address.address) : openSqliteSource(address.path, mode);
}

/** Opens the target; creates and migrates it if needed. Throws as `openSource` does. */
export function openTarget(address: DatabaseAddress): Promise<Side> {
  return address.kind === 'postgres' ? openPostgresTarget(address.address) : openSqliteTarget(address.path);
}

/** Opens a database for reading while its service may be running. Throws as `openSource` does. */
export function openReader(address: DatabaseAddress): Promise<Side> {
  return address.kind === 'postgres' ? openPostgresSource(address.address) : openSqliteReader(address.path);
}

/** Reports the progress of a copy. */
export function listenerOf(progress: Progress) {
  return {
    onRemove(tables: readonly { readonly name: string; readonly rows: number }[]) {
      for (const { name, rows } of tables) progress.say(`deleted from the target: ${rows} rows of ${name}`);
    },
    onResume: (table: string) => progress.say(`resuming an interrupted copy at ${table}`),
    onTable: (step: 'copy' | 'verify' | 'remove', table: string, rows: number) =>
      progress.begin(`${step} ${table}`, rows),
    onRows: (rows: number) => progress.add(rows),
  };
}

/** A line per table: rows and checksum. */
export function tableLines(tables: readonly VerifiedTable[]): string[] {
  const width = Math.max(...tables.map(({ name }) => name.length));
  return tables.map(
    ({ name, rows, checksum }) => `${name.padEnd(width)}  ${String(rows).padStart(10)} rows  ${checksum}`,
  );
}

/** A side that closes when its block ends. */
export async function opened(opening: Promise<Side>): Promise<AsyncDisposable & { readonly side: Side }> {
  const side = await opening;
  return { side, [Symbol.asyncDispose]: () => side.close() };
}

const foreseenErrors: ReadonlySet<string> = new Set([
  'CopyError',
  'DatabaseOpenError',
  'NewerDatabaseError',
  'OlderDatabaseError',
  'StoreUnavailableError',
  'UnfinishedCopyError',
  'WrongKeyError',
]);

/** Turns errors that the user can fix into one-line messages. */
export async function foreseen<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && foreseenErrors.has(error.name))
      throw new CommandError(error.message, { cause: error });
    throw error;
  }
}
