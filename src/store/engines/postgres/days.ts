// The days of results, exchanges, assets and pings: each has a partition of its own, made ahead of time and dropped whole.
import { setTimeout as pause } from 'node:timers/promises';
import { firstIdAt } from '../../base/codec.ts';
import { isLockBusy, stateOf } from '../../base/unavailable.ts';
import type { Connections } from './connections.ts';
import type { Session } from './session.ts';

const tables = ['results', 'exchanges', 'pings', 'result_assets', 'asset_parts'] as const;
export const dayMs = 86_400_000;
/** Made before they are needed: a process that cannot make more for so long writes to the rest, which only costs time. */
const daysAhead = 3;
/** Slots that were missed while nothing ran, and runs that were late, belong to days that are over. */
const daysBefore = 1;
/**
 * How long a try waits for a table that has to be its own, ms: while it waits, whoever comes to the table waits behind it,
 * though he would only read. The first is for a database whose transactions are short, the last ones for one that is far away or
 * commits slowly: each may find somebody who has only just begun.
 */
const lockMs = [20, 20, 30, 30, 40, 40, 50, 50];
/** Between two tries, in which everybody has his turn, ms: half as long again each time. */
const firstPauseMs = 100;
const pauseGrowth = 1.5;

/** Makes the partitions of the days around `now` (epoch ms) that are not there. Rejects as `dropDays` does. */
export async function makeDays(connections: Connections, now: number): Promise<void> {
  const today = Math.floor(now / dayMs);
  const days = Array.from({ length: daysBefore + 1 + daysAhead }, (_, index) => today - daysBefore + index);
  const present = await presentDays(connections);
  for (const table of tables) await makeMissing(connections, table, days, present);
}

/** Makes the partitions of some days of a table (days since 1970, UTC) that are not there; years have four digits. */
export async function makeDaysOf(connections: Connections, table: string, days: readonly number[]): Promise<void> {
  await makeMissing(connections, table, days, await presentDays(connections));
}

/** Names of the partitions that are there, of all tables. */
async function presentDays(connections: Connections): Promise<ReadonlySet<string>> {
  return new Set((await connections.transaction(daysOf)).map(({ name }) => name));
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
      // Another process was first, or rows of that day went to the rest: there they are found as well.
      if (!['42P07', '23514', '42P17'].includes(stateOf(error))) throw error;
    }
  }
}

const dayOfYear10000 = Date.UTC(10_000, 0) / dayMs;

/**
 * Drops the days that ended before `before` (epoch ms); answers with how many. Rejects with StoreUnavailableError while somebody
 * reads a table for seconds: it goes on where it stopped when it is asked again.
 */
export async function dropDays(connections: Connections, before: number): Promise<number> {
  const days = await connections.transaction(daysOf);
  const old = days.filter(({ day }) => (day + 1) * dayMs <= before);
  // The oldest first: when it is cut short, what is left is whole from some day on.
  old.sort((a, b) => a.day - b.day);
  for (const { name } of old) await alone(connections, `DROP TABLE IF EXISTS ${name}`);
  return old.length;
}

/**
 * Runs a statement that changes which days there are: for it the whole table has to be its own, apart from every reader and
 * writer. Rejects with StoreUnavailableError when it cannot be had within some tries, three seconds: somebody reads for longer.
 */
async function alone(connections: Connections, statement: string): Promise<void> {
  for (const [tried, waitMs] of lockMs.entries()) {
    try {
      await connections.transaction(async (session) => {
        session.send(`SET LOCAL lock_timeout = ${waitMs}`);
        session.send(statement);
        // Along with it: nobody waits for what this process does between two statements.
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

async function daysOf(session: Session): Promise<Day[]> {
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
