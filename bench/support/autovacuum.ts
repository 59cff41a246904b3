// Controls PostgreSQL's autovacuum, with the product's table settings: runs, disables and observes it.
import type { Client } from 'pg';
import type { PostgresServer } from '../../tests/support/postgres/postgres.ts';
import { pause } from './service.ts';

/** State of a table. */
export interface Kept {
  /** Dead rows according to the server's statistics. */
  readonly dead: number;
  /** Number of autovacuum runs. */
  readonly vacuums: number;
}

/** Autovacuum of one database, which nothing else vacuums. */
export interface Autovacuum {
  /** Sets the interval of autovacuum, s (default: a minute). */
  comeEvery(seconds: number): Promise<void>;
  /** Disables autovacuum, so that dead rows remain. */
  stayAway(): Promise<void>;
  /** State once the statistics are complete: within 1.5 s. */
  counted(table: string): Promise<Kept>;
  /** State according to the current statistics. */
  of(table: string): Promise<Kept>;
  /** Waits up to two minutes until no autovacuum is in progress; disabling does not stop a running one. */
  untilIdle(): Promise<void>;
  /** Waits up to two minutes for another autovacuum of the table. */
  untilThrough(table: string): Promise<void>;
  /** Waits up to two minutes until few dead rows are left, below the threshold of autovacuum. */
  untilClean(table: string): Promise<void>;
}

/** Statistics are updated within a second; polling interval, ms. */
const pollMs = 200;
/** Longer than any benchmark. */
const awayS = 36_000;
const maxWaitMs = 120_000;
const countedMs = 1500;
/** The product's settings trigger autovacuum at more than a thousand dead rows. */
const fewRows = 5000;

/** @param client a separate connection to the database */
export function watchAutovacuum(server: PostgresServer, client: Client): Autovacuum {
  const of = async (table: string): Promise<Kept> => {
    const { rows } = await client.query<{ dead: string; vacuums: string }>(
      'SELECT n_dead_tup AS dead, autovacuum_count AS vacuums FROM pg_stat_user_tables WHERE relname = $1',
      [table],
    );
    return { dead: Number(rows[0]?.dead), vacuums: Number(rows[0]?.vacuums) };
  };
  const comeEvery = async (seconds: number): Promise<void> => {
    // Not on the command line, which would take precedence over later changes.
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
      within('autovacuum did not finish', async () => {
        const [row] = await server.admin(
          `SELECT count(*) AS n FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'`,
        );
        return Number(row?.['n']) === 0;
      }),
    async untilClean(table) {
      await pause(countedMs);
      await within(`autovacuum did not vacuum ${table}`, async () => (await of(table)).dead < fewRows);
    },
    async untilThrough(table) {
      const { vacuums } = await of(table);
      await within(`autovacuum did not run on ${table}`, async () => (await of(table)).vacuums > vacuums);
    },
  };
}

async function within(complaint: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`${complaint} within two minutes`);
    await pause(pollMs);
  }
}
