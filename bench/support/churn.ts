// Hundreds of thousands of schedules on either engine, and minutes of work on them: all rows that a scheduler and its runners
// would write and delete, in few statements.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { outcomeCodes, sourceCodes } from '#store/base/codes.ts';
import { json } from '#store/base/codec.ts';
import type { Path } from '#store/path/path.ts';
import { inStep } from '#store/path/schedule/schedule-rounds.ts';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { createSeal } from '#store/base/seal.ts';
import { createSqlitePath } from '#store/path/sqlite-path.ts';
import { openSqliteFile } from '#store/engines/sqlite/file.ts';
import { openPostgresStore } from '#store/postgres-store.ts';
import { startPostgres } from '../../tests/support/postgres/postgres.ts';
import { type Autovacuum, watchAutovacuum } from './autovacuum.ts';
import { benchSettings } from './database.ts';
import { apiCheck, secretKeyText } from './seed.ts';

/** Interval of ticks with 500 due rows each, ms: 1,667 runs per second for any size. */
export const stepMs = 300;
export const perStep = 500;
/**
 * Minimum duration of a simulated minute, s, for engines with autovacuum, which runs at the same interval: once per simulated
 * minute, like in reality. A fast machine needs less time for the work.
 */
export const rawMinuteS = 5;
const accounts = 100;
export const leaseMs = 10_000;
const secretKey = Buffer.from(secretKeyText, 'hex');
const seal = createSeal(secretKey);

/** Engine, number of schedules, and folder. */
export interface ChurnOrder {
  readonly schedules: number;
  readonly folder: string;
}

/** An installation with simulated time. */
export interface Churned extends AsyncDisposable {
  readonly path: Path;
  /** Simulated time, epoch ms. */
  now: number;
  readonly intervalMs: number;
  /** Advances one step and does its work in few statements: schedules, claims and records what is due. */
  step(): Promise<void>;
  /** Closes the runs leased by `owner`, as recording would. */
  end(owner: string): Promise<void>;
  /** Controls vacuuming; null = the engine needs none. */
  readonly autovacuum: Autovacuum | null;
}

/** Differences between the engines. */
interface Raw {
  readonly path: Path;
  /** Statements without values, in a transaction or not. */
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
  readonly autovacuum: Autovacuum | null;
  /** 16 bytes that begin with a 48-bit time in ms; the rest is a hash or random. */
  readonly id: (ms: string, seed: string) => string;
  readonly series: (from: number, to: number) => string;
  /** The column that runs are looked up by. */
  readonly waiting: string;
}

const sqlite: Pick<Raw, 'id' | 'series' | 'waiting'> = {
  id: (ms) => `CAST(unhex(printf('%012x', ${ms})) || x'700080' || randomblob(7) AS BLOB)`,
  series: (from, to) => `(WITH RECURSIVE s(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM s WHERE i < ${to})
    SELECT i FROM s) AS s`,
  waiting: 'available_at',
};

const postgres: Pick<Raw, 'id' | 'series' | 'waiting'> = {
  id: (ms, seed) =>
    `substr(int8send((${ms})::bigint), 3) || '\\x700080'::bytea || substr(decode(md5((${seed})::text), 'hex'), 1, 7)`,
  series: (from, to) => `generate_series(${from}, ${to}) AS s (i)`,
  waiting: 'due_at',
};

/** Opens an installation on the engine and adds schedules, of which 500 are due in each step. */
export async function openChurned(engine: 'sqlite' | 'postgres', order: ChurnOrder): Promise<Churned> {
  const intervalMs = (order.schedules / perStep) * stepMs;
  // Begins half an hour ago at the start of an interval, so that the work ends about now, in days with partitions.
  const startAt = Math.floor((Date.now() - 1_860_000) / intervalMs) * intervalMs;
  // A step ends with the last ms before a slot, so that its schedules are adjacent.
  let now = startAt - 1;
  const clock = { now: () => now };
  const raw = engine === 'sqlite' ? openSqlite(order.folder) : await openPostgres(clock);
  await seed(raw, order.schedules, intervalMs, startAt);
  await raw.autovacuum?.comeEvery(rawMinuteS);
  // Also provides the planner's statistics.
  await raw.autovacuum?.untilThrough('schedules');
  const end = (owner: string): Promise<void> => raw.exec(endOf(`leased_by = '${owner}'`));
  return {
    path: raw.path,
    intervalMs,
    get now() {
      return now;
    },
    set now(at) {
      now = at;
    },
    step: async () => {
      now += stepMs;
      await raw.exec(stepOf(raw, now, intervalMs));
    },
    end,
    autovacuum: raw.autovacuum,
    [Symbol.asyncDispose]: () => raw.close(),
  };
}

/** Uses the connection that the path writes with, because writes of another one would invalidate its page cache. */
function openSqlite(folder: string): Raw {
  mkdirSync(folder, { recursive: true });
  const file = openSqliteFile(join(folder, 'tocsin.db'));
  return {
    ...sqlite,
    autovacuum: null,
    path: createSqlitePath(file, seal),
    exec: (sql) => file.queue.single(({ database }) => Promise.resolve(database.exec(sql))),
    close: async () => {
      await file.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openPostgres(clock: { now(): number }): Promise<Raw> {
  const server = await startPostgres(null, undefined, benchSettings);
  const { url } = await server.newDatabase();

  const address = readPostgresAddress(url);
  const store = await openPostgresStore({ address, secretKey, clock });
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  await client.query('SET enable_seqscan = off; SET synchronous_commit = off');
  const autovacuum = watchAutovacuum(server, client);
  await autovacuum.stayAway();
  return {
    ...postgres,
    autovacuum,
    path: store.path,
    exec: async (sql) => void (await client.query(sql)),
    close: async () => {
      await client.end();
      await store.close();
      await server.stop();
    },
  };
}

async function seed(raw: Raw, schedules: number, intervalMs: number, startAt: number): Promise<void> {
  const ownAccount = '(SELECT id FROM accounts WHERE name = CAST(i % 100 AS TEXT))';
  const { settings, ...rest } = apiCheck('', 'http://127.0.0.1:9/');
  const { accountId: _, id: _id, checkType, name: _name, activated: _a, muted: _m, groupId: _g, tags, ...more } = rest;
  const { createdAt: _c, updatedAt: _u, ...definition } = more;
  const text = json({ ...definition, settings }).replaceAll(`'`, `''`);
  await raw.exec(
    `INSERT INTO accounts (id, name, created_at)
       SELECT ${raw.id(`${startAt} + i`, 'i')}, CAST(i AS TEXT), 0 FROM ${raw.series(0, accounts - 1)}`,
  );
  await raw.exec(`INSERT INTO schedule_rounds (interval_ms, planned_to) VALUES (${intervalMs}, ${startAt - 1})`);
  await raw.exec(`INSERT INTO counters (account_id, noun, last) SELECT id, 'revision', 1 FROM accounts`);
  const atOnce = 50_000;
  for (let from = 0; from < schedules; from += atOnce) {
    // Rows that are adjacent in time are not adjacent in the tables.
    const offset = `(CAST((i * 7919) % ${schedules} AS BIGINT) * ${intervalMs} / ${schedules})`;
    await raw.exec(
      `INSERT INTO checks (account_id, id, check_type, name, activated, muted, group_id, tags, definition, created_at)
         SELECT ${ownAccount}, ${raw.id(`${startAt} + i`, 'i')}, '${checkType}', 'check', 1, 0, NULL,
         '${json(tags)}', '${text}', i FROM ${raw.series(from, from + atOnce - 1)}`,
    );
    await raw.exec(
      `INSERT INTO schedules (account_id, check_id, next_due_at, planned_to, interval_ms, phase_ms, locations, run_parallel)
         SELECT account_id, id, ${inStep}, ${inStep}, ${intervalMs}, o, '[]', 0
         FROM (SELECT account_id, id, ${offset.replaceAll('i *', 'created_at *')} AS o FROM checks
           WHERE created_at >= ${from} AND created_at < ${from + atOnce}) AS c`,
    );
  }
}

/** Rows written by a tick, its claim and its recording, in statements for everything due. */
function stepOf(raw: Raw, now: number, intervalMs: number): string {
  const phase = (now + 1 - stepMs) % intervalMs;
  const slotAt = `${now + 1 - stepMs - phase} + phase_ms`;
  return `INSERT INTO runs (account_id, id, check_id, location, source, slot_at, interval_ms, attempt, due_at, available_at)
      SELECT account_id, ${raw.id(slotAt, 'check_id')}, check_id, 'local',
        ${sourceCodes.encode('SCHEDULER')}, ${slotAt}, interval_ms, 1, ${slotAt}, ${slotAt}
      FROM schedules WHERE next_due_at = ${inStep} AND interval_ms = ${intervalMs}
        AND phase_ms >= ${phase} AND phase_ms < ${phase + stepMs};
    UPDATE schedule_rounds SET planned_to = ${now} WHERE interval_ms = ${intervalMs};
    UPDATE runs SET available_at = ${now + leaseMs}, leased_by = 'churn', first_started_at = ${now}
      WHERE location = 'local' AND ${raw.waiting} <= ${now};
    ${endOf(`location = 'local' AND ${raw.waiting} > ${now - 60_000}`)}`;
}

function endOf(which: string): string {
  return `INSERT INTO results (account_id, check_id, id, attempt, outcome, location, source, slots, started_at,
        duration_ms, response_us, loop_delay_ms)
      SELECT account_id, check_id, id, 1, ${outcomeCodes.encode('passed')}, location, source, 1, first_started_at,
        12, 12345, 0 FROM runs WHERE ${which};
    DELETE FROM runs WHERE ${which}`;
}
