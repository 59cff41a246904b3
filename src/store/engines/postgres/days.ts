// Daily partitions of results, exchanges, assets and pings, created in advance and dropped as a whole.
import { setTimeout as pause } from 'node:timers/promises';
import { firstIdAt } from '../../base/codec.ts';
import { isLockBusy, stateOf } from '../../base/unavailable.ts';
import type { Connections } from './connections.ts';
import type { Session } from './session.ts';

const tables = ['results', 'exchanges', 'pings', 'result_assets', 'asset_parts'] as const;
export const dayMs = 86_400_000;
/** Created in advance: if that fails for longer, rows go to the default partition, which is only slower. */
const daysAhead = 3;
/** Missed slots of a downtime and late runs belong to past days. */
const daysBefore = 1;
/**
 * Timeouts of the attempts to lock a table, ms: during each, later readers and writers queue behind it. The first suits
 * short transactions, the last ones a remote database or slow commits: each may meet a transaction that has just begun.
 */
const lockMs = [20, 20, 30, 30, 40, 40, 50, 50];
/** Pause between two attempts, in which others get their turn, ms; grows by half each time. */
const firstPauseMs = 100;
const pauseGrowth = 1.5;

/** Creates missing partitions of the days around `now` (epoch ms). Rejects like `dropDays`. */
export async function makeDays(connections: Connections, now: number): Promise<void> {
  const today = Math.floor(now / dayMs);
  const days = Array.from({ length: daysBefore + 1 + daysAhead }, (_, index) => today - daysBefore + index);
  const present = await presentDays(connections);
  for (const table of tables) await makeMissing(connections, table, days, present);
}

/** Creates missing partitions of some days of a table (days since 1970, UTC); years have four digits. */
export async function createDays(connections: Connections, table: string, days: readonly number[]): Promise<void> {
  await makeMissing(connections, table, days, await presentDays(connections));
}

/** Names of the existing partitions of all tables. */
async function presentDays(connections: Connections): Promise<ReadonlySet<string>> {
  return new Set((await connections.transaction(readDays)).map(({ name }) => name));
}

async function makeMissing(
  connections: Connections,
  table: string,
  days: readonly number[],
  present: ReadonlySet<string>,
): Promise<void> {
  for (const day of days) {
    if (day >= dayOfYear10000 || present.has(nameOf(table, day))) continue;
    try {
      await alone(connections, dayMade(table, day));
    } catch (error) {
      // Another process was first, or rows of that day are in the default partition, where they are found as well.
      if (!['42P07', '23514', '42P17'].includes(stateOf(error))) throw error;
    }
  }
}

const dayOfYear10000 = Date.UTC(10_000, 0) / dayMs;

/**
 * Drops the days that ended before `before` (epoch ms); returns their number. Rejects with StoreUnavailableError while
 * a table is being read for seconds; the next call continues.
 */
export async function dropDays(connections: Connections, before: number): Promise<number> {
  const days = await connections.transaction(readDays);
  const old = days.filter(({ day }) => (day + 1) * dayMs <= before);
  // Oldest first: if interrupted, the remaining days are complete.
  old.sort((a, b) => a.day - b.day);
  for (const { name } of old) await alone(connections, `DROP TABLE IF EXISTS ${name}`);
  return old.length;
}

/**
 * Runs a statement that changes partitions, which needs an exclusive lock on the table. Rejects with
 * StoreUnavailableError if the lock is not available within some attempts, three seconds in total.
 */
async function alone(connections: Connections, statement: string): Promise<void> {
  for (const [tried, waitMs] of lockMs.entries()) {
    try {
      await connections.transaction(async (session) => {
        session.send(`SET LOCAL lock_timeout = ${waitMs}`);
        session.send(statement);
        // Sent together, so that no one waits between two statements of this process.
        session.commit();
      });
      return;
    } catch (error) {
      if (tried === lockMs.length - 1 || !isLockBusy(error)) throw error;
    }
    await pause(firstPauseMs * pauseGrowth ** tried * (0.5 + Math.random() / 2));
  }
}

interface Day {
  readonly name: string;
  readonly day: number;
}

async function readDays(session: Session): Promise<Day[]> {
  const rows = await session.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent IN (${tables.map((table) => `to_regclass('${table}')`).join(', ')})`,
  );
  return rows.flatMap(({ name }) => {
    const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
    return day === undefined ? [] : [{ name, day: Date.UTC(Number(year), Number(month) - 1, Number(day)) / dayMs }];
  });
}

function nameOf(table: string, day: number): string {
  return `${table}_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

function dayMade(table: string, day: number): string {
  const [from, to] = [day, day + 1].map((each) => `'\\x${Buffer.from(firstIdAt(each * dayMs)).toString('hex')}'`);
  return `CREATE TABLE ${nameOf(table, day)} PARTITION OF ${table} FOR VALUES FROM (${from}) TO (${to})`;
}
