// A store on a database of its own, of either engine, with a clock to turn and a second door for raw rows.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseUrl } from '#config/variables.ts';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { openPostgresStore, type PostgresOptions } from '#store/postgres-store.ts';
import { openStore } from '#store/sqlite-store.ts';
import type { Store } from '#store/store.ts';
import type { PostgresServer } from '../postgres/postgres.ts';
import { openRawPostgres, type RawRows } from './raw-rows.ts';

/** A clock that stands still until it is turned. */
export interface ShiftedClock {
  now(): number;
  advance(ms: number): void;
}

/** A clock that stands at `at`, epoch ms. */
export function clockAt(at: number): ShiftedClock {
  let present = at;
  return {
    now: () => present,
    advance: (ms) => {
      present += ms;
    },
  };
}

export interface TempStore extends AsyncDisposable {
  readonly store: Store;
  readonly clock: ShiftedClock;
  /** From now on each look at how long a slice takes is so many ms after the one before; they stand still otherwise. */
  readonly goSlowly: (ms: number) => void;
  /** Whether other processes may be at the same database: then nobody's lease is ended for him. */
  readonly isShared: boolean;
  /** The same database from outside: for rows that another part of the product writes, and to look. */
  readonly raw: RawRows;
  /** Everything that is stored, as it is stored: to look for what must not be there. */
  stored(): string;
  /** Where it is. */
  readonly address: DatabaseUrl;
  /** Closes the store, as a service that stops; the rows can still be looked at. */
  rest(): Promise<void>;
}

/** The secret key of every one of these stores. */
export const secretKey: Uint8Array = new Uint8Array(32).fill(7);
const noon = Date.UTC(2026, 2, 10, 12);

/** A file whose schema is made, to be copied: making it anew for every case would take longer than many of them do. */
const migratedFile = await migrateFile();

async function migrateFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-migrated-'));
  const path = join(folder, 'tocsin.db');
  await openStore({ path, secretKey, clock: clockAt(noon) }).close();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

/** Opens a new store on a real SQLite file; `await using` closes it and removes its folder. */
export function openTempStore(at: number = noon): TempStore {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-store-'));
  const path = join(folder, 'tocsin.db');
  writeFileSync(path, migratedFile);
  const clock = clockAt(at);
  let [steady, stepMs] = [0, 0];
  const steadyNow = (): number => (steady += stepMs);
  const store = openStore({ path, secretKey, clock, steadyNow });
  const raw = new DatabaseSync(path, { timeout: 5000 });
  return {
    store,
    clock,
    goSlowly: (ms) => void (stepMs = ms),
    isShared: false,
    raw,
    stored: () =>
      [path, `${path}-wal`]
        .filter((file) => existsSync(file))
        .map((file) => readFileSync(file, 'latin1'))
        .join(''),
    address: { kind: 'sqlite', path },
    rest: () => store.close(),
    [Symbol.asyncDispose]: async () => {
      raw.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A store of a PostgreSQL, and where its database is. */
export interface TempPostgres extends TempStore {
  readonly url: string;
}

/**
 * The same on a fresh database of a PostgreSQL.
 *
 * @param more options of the store
 */
export async function openTempPostgres(
  server: PostgresServer,
  at: number = noon,
  more: Pick<PostgresOptions, 'onOtherTime'> = {},
): Promise<TempPostgres> {
  const database = await server.newDatabase(await migratedOf(server));
  const { socketUrl: url } = database;
  const clock = clockAt(at);
  const store = await openPostgresStore({ address: readPostgresAddress(url), secretKey, clock, ...more });
  const raw = openRawPostgres(url);
  let resting: Promise<void> | null = null;
  const rest = (): Promise<void> => (resting ??= store.close());
  return {
    store,
    clock,
    // Its server removes whole days, and holds no loop of ours meanwhile.
    goSlowly: () => undefined,
    isShared: true,
    url,
    raw,
    stored: () => storedText(raw),
    address: { kind: 'postgres', address: readPostgresAddress(url) },
    rest,
    [Symbol.asyncDispose]: async () => {
      raw.close();
      await rest();
      await database.drop();
    },
  };
}

const migrated = new WeakMap<PostgresServer, Promise<string>>();

/** The name of a database with our schema on that server, to be copied. */
function migratedOf(server: PostgresServer): Promise<string> {
  const kept = migrated.get(server) ?? migrate(server);
  migrated.set(server, kept);
  return kept;
}

/** Once for all processes that share the server. */
async function migrate(server: PostgresServer): Promise<string> {
  const name = 'tocsin_migrated';
  await server.admin('SELECT pg_advisory_lock(1)');
  try {
    const made = await server.admin(`SELECT 1 FROM pg_database WHERE datname = '${name}'`);
    if (made.length > 0) return name;
    const database = await server.newDatabase();
    const clock = clockAt(noon);
    await (await openPostgresStore({ address: readPostgresAddress(database.url), secretKey, clock })).close();
    await server.admin(`ALTER DATABASE ${database.name} RENAME TO ${name}`);
    return name;
  } finally {
    await server.admin('SELECT pg_advisory_unlock(1)');
  }
}

function storedText(raw: RawRows): string {
  const tables = raw.prepare(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`).all();
  const rows = tables.flatMap(({ name }) => raw.prepare(`SELECT r::text AS text FROM ${String(name)} r`).all());
  return rows.map(({ text }) => String(text)).join('\n');
}
