// Clocks of processes that a test sets: a machine's by a file that its processes read, a database's by a function of the
// same name before the server's own. No clock of this machine is touched.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresDatabase } from '../postgres/postgres.ts';
import { openRawPostgres } from '../store/raw-rows.ts';
import type { Cleanup } from '../targets/scripted-server.ts';

/** The clock of one machine, or of a database server. */
export interface SetClock {
  /** How far it is ahead of the real one from now on, ms. */
  set(aheadMs: number): void;
}

/** A machine's clock; `environment` makes a process run on that machine. */
export function machineClock(t: Cleanup, aheadMs: number): SetClock & { readonly environment: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-clock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'ahead');
  const set = (ms: number): void => {
    // Concurrent readers find the complete text from before or after.
    writeFileSync(`${path}.part`, String(ms));
    renameSync(`${path}.part`, path);
  };
  set(aheadMs);
  const preload = new URL('./machine-clock.ts', import.meta.url).href;
  return { set, environment: { NODE_OPTIONS: `--import=${preload}`, MACHINE_CLOCK_FILE: path } };
}

/** The clock of a database, for every connection that is made after this. */
export function databaseClock(database: PostgresDatabase): SetClock {
  const raw = openRawPostgres(database.url);
  // What stands in pg_catalog is found first, unless the path names it later.
  raw.exec(`
    CREATE SCHEMA machine;
    CREATE TABLE machine.clock (ahead_ms BIGINT NOT NULL);
    INSERT INTO machine.clock VALUES (0);
    CREATE FUNCTION machine.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      'SELECT pg_catalog.clock_timestamp() + ahead_ms * interval ''1 millisecond'' FROM machine.clock';
    CREATE FUNCTION machine.now() RETURNS timestamptz LANGUAGE sql STABLE AS
      'SELECT pg_catalog.now() + ahead_ms * interval ''1 millisecond'' FROM machine.clock';
    ALTER DATABASE ${database.name} SET search_path = public, machine, pg_catalog;
  `);
  raw.close();
  return {
    set(aheadMs) {
      const door = openRawPostgres(database.url);
      door.prepare('UPDATE machine.clock SET ahead_ms = ?').run(aheadMs);
      door.close();
    },
  };
}
