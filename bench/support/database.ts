// PostgreSQL for benchmarks: a separate server on this machine, its CPU time, and thousands of checks.
import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { Check } from '#domain/checks/check.ts';
import { checkRow } from '#store/checks/check-rows.ts';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { createSeal } from '#store/base/seal.ts';
import { openPostgresStore } from '#store/postgres-store.ts';
import type { Store } from '#store/store.ts';
import { startPostgres } from '../../tests/support/postgres/postgres.ts';
import { scheduleRow, secretKeyText, seedFirstAccount } from './seed.ts';

/** Settings of a real server instead of those for small tests (docs/postgresql.md). */
export const benchSettings = { shared_buffers: '1GB', max_wal_size: '4GB' };

/** A database on its own server. */
export interface BenchDatabase extends AsyncDisposable {
  /** Value of DATABASE_URL. */
  readonly url: string;
  /** Opens the store. Close it before the service starts, which otherwise has to share the database. */
  openStore(now?: () => number): Promise<Store>;
  /** Creates the first account; returns its id. */
  seedAccount(): Promise<string>;
  /** Adds checks with schedules that start at their next slots. */
  addChecks(checks: readonly Check[]): Promise<void>;
  readonly query: (statement: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;
  /** CPU time of all processes of the server so far, including ended ones, seconds. */
  cpuSeconds(): number;
}

export async function openBenchDatabase(): Promise<BenchDatabase> {
  const server = await startPostgres(null, undefined, benchSettings);
  const { url } = await server.newDatabase();
  const secretKey = Buffer.from(secretKeyText, 'hex');
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  const query = async (statement: string, values: readonly unknown[] = []) =>
    (await client.query<Record<string, unknown>>(statement, [...values])).rows;
  const openStore = (now: () => number = Date.now): Promise<Store> =>
    openPostgresStore({ address: readPostgresAddress(url), secretKey, clock: { now } });
  return {
    url,
    query,
    openStore,
    async seedAccount() {
      const store = await openStore();
      const accountId = await seedFirstAccount(store);
      await store.close();
      return accountId;
    },
    async addChecks(checks) {
      const seal = createSeal(secretKey);
      const now = Date.now();
      for (let from = 0; from < checks.length; from += 5000) {
        const some = checks.slice(from, from + 5000);
        const rows = some.map((check) => checkRow({ ...check, createdAt: now }, seal));
        await insert(query, 'checks', rows);
        const schedules = some.map((check) => scheduleRow(check, now));
        await insert(query, 'schedules', schedules);
      }
      await query('ANALYZE');
    },
    cpuSeconds: () => cpuSecondsOfFamily(server.pid),
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await server.stop();
    },
  };
}

async function insert(query: BenchDatabase['query'], table: string, rows: readonly object[]): Promise<void> {
  const text = JSON.stringify(rows, (_, value: unknown) =>
    isBytes(value) ? `\\x${Buffer.from(value.data).toString('hex')}` : value,
  );
  // By name, so that missing fields get their default.
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  await query(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(null::${table}, $1)`, [
    text,
  ]);
}

/** A Buffer as serialized by JSON.stringify. */
function isBytes(value: unknown): value is { readonly data: number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
}

/** CPU time of a process and its ended children, in hundredths of a second. */
function cpuSecondsOfFamily(pid: number): number {
  let hundredths = 0;
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? statOf(name) : null;
    if (fields === null) continue;
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((at) => Number(fields[at]));
    if (name === String(pid)) hundredths += (user ?? 0) + (system ?? 0) + (endedUser ?? 0) + (endedSystem ?? 0);
    else if (parent === pid) hundredths += (user ?? 0) + (system ?? 0);
  }
  return hundredths / 100;
}

function statOf(pid: string): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    // It ended meanwhile.
    return null;
  }
}
