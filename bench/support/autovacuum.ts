// PostgreSQL's own housekeeping, by the settings that the product gives its tables: let come, kept away, and looked at.
import type { Client } from 'pg';
import type { PostgresServer } from '../../tests/support/postgres/postgres.ts';
import { pause } from './service.ts';

/** How a table stands. */
export interface Kept {
  /** Dead rows, as the server has counted them. */
  readonly dead: number;
  /** How often autovacuum has been through it. */
  readonly vacuums: number;
}

/** Autovacuum of one database. Nothing else cleans there. */
export interface Autovacuum {
  /** From now on the server looks after its tables this often, s (its own setting: a minute). */
  comeEvery(seconds: number): Promise<void>;
  /** From now on nothing is cleaned, and what dies lies there. */
  stayAway(): Promise<void>;
  /** As it stands once everything is counted: within a second and a half. */
  counted(table: string): Promise<Kept>;
  /** As it is counted so far. */
  of(table: string): Promise<Kept>;
  /** Waits until it is at no table any more, two minutes at most: what it has begun it ends, also when it is to stay away. */
  untilIdle(): Promise<void>;
  /** Waits until it has been at the table once more, two minutes at most. */
  untilThrough(table: string): Promise<void>;
  /** Waits until it has left few dead rows there, or nothing that it would come for; two minutes at most. */
  untilClean(table: string): Promise<void>;
}

/** What a statement did is counted within a second; asked so often, ms. */
const pollMs = 200;
/** Longer than any bench takes. */
const awayS = 36_000;
const maxWaitMs = 120_000;
const countedMs = 1500;
/** What it comes for is more than a thousand by the settings of the product. */
const fewRows = 5000;

/** @param client a connection of its own to the database */
export function watchAutovacuum(server: PostgresServer, client: Client): Autovacuum {
  const of = async (table: string): Promise<Kept> => {
    const { rows } = await client.query<{ dead: string; vacuums: string }>(
      'SELECT n_dead_tup AS dead, autovacuum_count AS vacuums FROM pg_stat_user_tables WHERE relname = $1',
      [table],
    );
    return { dead: Number(rows[0]?.dead), vacuums: Number(rows[0]?.vacuums) };
  };
  const comeEvery = async (seconds: number): Promise<void> => {
    // Not by the command line, over which nothing goes afterwards.
    await server.admin(`ALTER SYSTEM SET autovacuum_naptime = '${seconds}s'`);
    await server.admin('SELECT pg_reload_conf()');
  };
  return {
    of,
    async counted(table) {
      await pause(countedMs);
      return of(table);
    },
    comeEvery,
    stayAway: () => comeEvery(awayS),
    untilIdle: () =>
      within('autovacuum did not end', async () => {
        const [row] = await server.admin(
          `SELECT count(*) AS n FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'`,
        );
        return Number(row?.['n']) === 0;
      }),
    async untilClean(table) {
      await pause(countedMs);
      await within(`autovacuum did not clean ${table}`, async () => (await of(table)).dead < fewRows);
    },
    async untilThrough(table) {
      const { vacuums } = await of(table);
      await within(`autovacuum did not come to ${table}`, async () => (await of(table)).vacuums > vacuums);
    },
  };
}

async function within(complaint: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`${complaint} in two minutes`);
    await pause(pollMs);
  }
}
