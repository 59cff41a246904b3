// Where a database is, as `--from` and `--to` name it, and how it is opened as a side of a copy.
import type { PostgresAddress } from '#lib/net/postgres-address.ts';
import { openPostgresSource, openPostgresTarget } from '#store/engines/postgres/move-side.ts';
import { openSqliteReader, openSqliteSource, openSqliteTarget } from '#store/engines/sqlite/move-side.ts';
import type { Side } from '#store/copy/side.ts';

/** One of the two engines, and where. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly address: PostgresAddress };

/** Whether two addresses name the same database, as far as their texts tell. */
export function isSameDatabase(a: DatabaseAddress, b: DatabaseAddress): boolean {
  if (a.kind === 'sqlite' && b.kind === 'sqlite') return a.path === b.path;
  if (a.kind === 'sqlite' || b.kind === 'sqlite') return false;
  const place = ({ host, port, database }: PostgresAddress): string => `${host} ${port} ${database}`;
  return place(a.address) === place(b.address);
}

/** The source. Throws when it cannot be opened, is in use, or is of another version. */
export function openSource(address: DatabaseAddress, mode: 'read' | 'write' = 'read'): Promise<Side> {
  return address.kind === 'postgres' ? openPostgresSource(address.address) : openSqliteSource(address.path, mode);
}

/** The side that is written, made and migrated when it has to be. Throws as `openSource` does. */
export function openTarget(address: DatabaseAddress): Promise<Side> {
  return address.kind === 'postgres' ? openPostgresTarget(address.address) : openSqliteTarget(address.path);
}

/** A database to read while its service may be running. Throws as `openSource` does. */
export function openReader(address: DatabaseAddress): Promise<Side> {
  return address.kind === 'postgres' ? openPostgresSource(address.address) : openSqliteReader(address.path);
}
