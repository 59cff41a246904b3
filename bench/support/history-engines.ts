// Databases with a month of results on either engine, filled as fast as possible.
import { DatabaseSync } from 'node:sqlite';
import { firstIdAt, idBytes } from '#store/base/codec.ts';
import { dayOf } from '#domain/results/roll-up.ts';
import { createBulk, readColumnTypes } from '#store/engines/postgres/bulk.ts';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { openConnections } from '#store/engines/postgres/connections.ts';
import { makeDays } from '#store/engines/postgres/days.ts';
import type { Store } from '#store/store.ts';
import { insertRow, putDelivery } from '../../tests/support/store/rows.ts';
import { type CheckPlan, dayMs, details, outcomes, rowOfCheck, rowOfSchedule, rowOfState } from './history-plan.ts';
import { type BenchDatabase, openBenchDatabase } from './database.ts';
import { type BenchOptions, type Findings, joinFindings } from './report.ts';
import { databasePath, openBenchStore, seedAccount } from './seed.ts';

/** A database of one engine. */
export interface HistoryEngine {
  readonly name: string;
  /** Whether statements block the event loop instead of running in a server. */
  readonly isInLoop: boolean;
  /** Environment variables of the service. */
  readonly environment: Readonly<Record<string, string>>;
  /** Creates the account; returns its id. */
  seedAccount(): Promise<string>;
  fill(plans: readonly CheckPlan[], now: number, say: (what: string) => void): Promise<number>;
  /** Runs the maintenance that the engine does in a month, so that it does not run during the measurement. */
  tidy(): Promise<void>;
  /** Effective boundary for deleting results older than `before` (both epoch ms): full days if days are partitions. */
  goneBefore(before: number): number;
  /** Number of results of some checks older than `before`, epoch ms. */
  resultsBefore(plans: readonly CheckPlan[], before: number): Promise<number>;
  /** Changes states from outside, like another process. @param set assignments @param plans default: all checks */
  write(set: string, plans?: readonly CheckPlan[]): Promise<void>;
  openStore(now: () => number): Promise<Store>;
  stop(): Promise<void>;
}

/** Measures on each engine in turn, or only on the one that is asked for; `dataDir` is the service's folder. */
export async function onEachEngine(
  { folder, engine }: BenchOptions,
  measure: (engine: HistoryEngine, dataDir: string) => Promise<Findings>,
): Promise<Findings> {
  const found: Findings[] = [];
  const onFile = `${folder}/history`;
  if (engine !== 'PostgreSQL') found.push(await measure(sqliteEngine(onFile), onFile));
  if (engine !== 'SQLite') found.push(await measure(await postgresEngine(), `${folder}/beside`));
  return joinFindings(found);
}

function sqliteEngine(dataDir: string): HistoryEngine {
  return {
    name: 'SQLite',
    isInLoop: true,
    environment: {},
    seedAccount: () => seedAccount(dataDir),
    fill: async (plans, now, say) => fillSqlite(databasePath(dataDir), plans, now, say),
    tidy: async () => {},
    goneBefore: (before) => before,
    async resultsBefore(plans, before) {
      const database = new DatabaseSync(databasePath(dataDir), { readOnly: true });
      const count = database.prepare(
        'SELECT count(*) AS n FROM results WHERE account_id = ? AND check_id = ? AND id < ?',
      );
      let results = 0;
      for (const { check, checkId } of plans) {
        results += Number(count.get(idBytes(check.accountId), checkId, firstIdAt(before))?.['n']);
      }
      database.close();
      return results;
    },
    async write(set, plans) {
      using database = new DatabaseSync(databasePath(dataDir), { timeout: 5000 });
      const where = plans === undefined ? 'true' : `check_id IN (${plans.map(() => '?').join(', ')})`;
      const ids = (plans ?? []).map(({ checkId }) => checkId);
      database.prepare(`UPDATE check_states SET ${set} WHERE ${where}`).run(...ids);
    },
    openStore: async (now) => openBenchStore(dataDir, now),
    stop: async () => {},
  };
}

async function postgresEngine(): Promise<HistoryEngine> {
  const database = await openBenchDatabase();
  const { url, query } = database;
  return {
    name: 'PostgreSQL',
    isInLoop: false,
    environment: { DATABASE_URL: url },
    seedAccount: () => database.seedAccount(),
    fill: (plans, now, say) => fillPostgres(database, plans, now, say),
    tidy: async () => void (await query('VACUUM ANALYZE')),
    goneBefore: dayOf,
    async resultsBefore(plans, before) {
      const [row] = await query(
        'SELECT count(*) AS n FROM results WHERE account_id = ANY($1) AND check_id = ANY($2) AND id < $3',
        [plans.map(({ check }) => idBytes(check.accountId)), plans.map(({ checkId }) => checkId), firstIdAt(before)],
      );
      return Number(row?.['n']);
    },
    async write(set, plans) {
      const where = plans === undefined ? 'true' : 'check_id = ANY($1)';
      await query(`UPDATE check_states SET ${set} WHERE ${where}`, plans && [plans.map(({ checkId }) => checkId)]);
    },
    openStore: (now) => database.openStore(now),
    stop: async () => database[Symbol.asyncDispose](),
  };
}

/** One in a hundred slots failed, and one was missed. */
const outcomeAt = (slot: number): number =>
  slot % 100 === 50 ? outcomes.failed : slot % 100 === 75 ? outcomes.missed : outcomes.passed;

async function fillSqlite(path: string, plans: readonly CheckPlan[], now: number, say: (what: string) => void) {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000');
  const insert = database.prepare(
    `INSERT INTO results (account_id, check_id, id, attempt, outcome, reason, message, location, source, slots, started_at,
       duration_ms, response_us, loop_delay_ms, details, interval_ms)
     VALUES (?, ?, ?, 1, ?, NULL, NULL, 'local', 0, 1, ?, 180, ?, 2, ?, ?)`,
  );
  let written = 0;
  database.exec('BEGIN');
  for (const [index, plan] of plans.entries()) {
    for (const [table, row] of [
      ['checks', rowOfCheck(plan, index, now)],
      ['schedules', rowOfSchedule(plan, now)],
      ['check_states', rowOfState(plan, now)],
    ] as const) {
      const columns = Object.keys(row);
      database
        .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
        .run(...(Object.values(row) as (string | number | Uint8Array | null)[]));
    }
    const account = idBytes(plan.check.accountId);
    const id = Buffer.from(plan.checkId);
    for (let slot = 0; slot < plan.count; slot++) {
      const at = plan.from + slot * plan.intervalMs;
      id.writeUIntBE(at, 0, 6);
      const outcome = outcomeAt(slot);
      const us = outcome === outcomes.missed ? null : Math.round(150_000 + 100_000 * Math.random());
      insert.run(account, plan.checkId, id, outcome, at + 20, us, us === null ? null : details, plan.intervalMs);
    }
    written += plan.count;
    if (index % 100 === 99) {
      database.exec('COMMIT; BEGIN');
      if (index % 1000 === 99) say(`SQLite: ${written} results`);
      await new Promise(setImmediate);
    }
  }
  const [first] = plans;
  if (first !== undefined)
    putOldDeliveries(database, first.check.accountId, Math.min(...plans.map(({ from }) => from)));
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return written;
}

const oldDeliveries = 20_000;

/** Deliveries to delete, of realistic size, with a request and two attempts. */
function putOldDeliveries(database: DatabaseSync, accountId: string, at: number): void {
  const exchange = JSON.stringify({ headers: [['content-type', 'application/json']], response: 'x'.repeat(1000) });
  for (let index = 0; index < oldDeliveries; index++) {
    const inspect = { alertChannelId: index % 200, status: 'delivered' } as const;
    const id = putDelivery(database, accountId, at + index, inspect);
    for (const number of [1, 2]) {
      insertRow(database, 'attempts', {
        account_id: idBytes(accountId),
        delivery_id: idBytes(id),
        position: number,
        number,
        started_at: at + index,
        duration_ms: 20,
        exchange,
      });
    }
  }
}

const checksAtOnce = 50;

async function fillPostgres(
  { url, query }: BenchDatabase,
  plans: readonly CheckPlan[],
  now: number,
  say: (what: string) => void,
) {
  const connections = await openConnections(readPostgresAddress(url));
  const oldest = Math.min(...plans.map(({ from }) => from));
  for (let at = now; at > oldest - dayMs; at -= dayMs) await makeDays(connections, at);
  const types = await connections.transaction(readColumnTypes);
  let written = 0;
  for (let start = 0; start < plans.length; start += checksAtOnce) {
    const some = plans.slice(start, start + checksAtOnce);
    written += await connections.transaction(async (session) => {
      const bulk = createBulk(session, types);
      const checks = some.map((plan, index) => rowOfCheck(plan, start + index, now));
      await bulk.insert('checks', checks);
      const schedules = some.map((plan) => rowOfSchedule(plan, now));
      await bulk.insert('schedules', schedules);
      const states = some.map((plan) => rowOfState(plan, now));
      await bulk.insert('check_states', states);
      let rows = 0;
      for (const plan of some) {
        rows += await session.change(
          `INSERT INTO results (account_id, check_id, id, attempt, outcome, location, source, slots, started_at, duration_ms,
             response_us, loop_delay_ms, details, interval_ms)
           SELECT $1, $2, decode(lpad(to_hex($3::bigint + s * $4::bigint), 12, '0'), 'hex') || substr($2::bytea, 7), 1,
             CASE s % 100 WHEN 50 THEN ${outcomes.failed} WHEN 75 THEN ${outcomes.missed} ELSE 0 END, 'local', 0, 1,
             $3::bigint + s * $4::bigint + 20, 180, 150000 + (random() * 100000)::int, 2, $6, $4
           FROM generate_series(0, $5::int - 1) s`,
          [idBytes(plan.check.accountId), plan.checkId, plan.from, plan.intervalMs, plan.count, Buffer.from(details)],
        );
      }
      return rows;
    });
    if (start % 1000 === 0) say(`PostgreSQL: ${written} results`);
  }
  await connections.close();
  await query('VACUUM ANALYZE');
  return written;
}
