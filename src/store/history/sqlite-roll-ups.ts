// Rows of roll-ups in SQLite; the decisions are in roll-ups.ts.
import { dayMs, hourMs } from '#domain/results/roll-up.ts';
import { firstIdAt, type IdBytes } from '../base/codec.ts';
import { readProgress, readResultsFrom, writtenProgress } from '../roll-ups/roll-up-progress.ts';
import { firstCheckAt } from '../roll-ups/sqlite-rewind.ts';
import { spans } from './roll-up-rows.ts';
import {
  type LateHour,
  type RawResult,
  releaseResults,
  type RollUps,
  type RollUpStore,
  rollUpTick,
} from './roll-ups.ts';
import type { RollUpsTable } from '../base/tables/roll-up-tables.ts';
import type { Connection } from '../engines/sqlite/connection.ts';
import { insertRow } from '../engines/sqlite/many-rows.ts';
import type { SqliteFile } from '../engines/sqlite/file.ts';

/** Results per tick: some milliseconds of work. */
const maxResults = 350;

/** Checks and marks per tick. */
const size = { checks: 90, lateHours: 7 };

/** Roll-ups of a file. */
export function createSqliteRollUps(file: SqliteFile): RollUps {
  const { queue } = file;
  return {
    tick: (now, resultRetentionMs) =>
      queue.single((connection) => rollUpTick(rollUpStoreOf(connection), now, size, resultRetentionMs)),
    release: (before) => queue.single((connection) => releaseResults(rollUpStoreOf(connection), before)),
  };
}

/** Statements are synchronous: a tick ends before anything else in this process runs. */
function rollUpStoreOf(connection: Connection): RollUpStore {
  return {
    ...progressRows(connection),
    ...lateRows(connection),
    ...sourceRows(connection),
    ...writtenRows(connection),
    breathe: async () => {},
  };
}

function progressRows(
  connection: Connection,
): Pick<RollUpStore, 'progress' | 'writeProgress' | 'resultsFrom' | 'writeResultsFrom' | 'oldestCheckAt'> {
  const value = (key: string): string | null => {
    const row = connection.prepare('SELECT value FROM installation WHERE key = ?').get(key);
    return row === undefined ? null : String(row['value']);
  };
  const keep = (key: string, text: string): void => {
    connection
      .prepare('INSERT INTO installation VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2')
      .run(key, text);
  };
  return {
    progress: async () => readProgress(value('rolled-up')),
    writeProgress: async (progress) => keep('rolled-up', writtenProgress(progress)),
    resultsFrom: async () => readResultsFrom(value('results-from')),
    writeResultsFrom: async (at) => keep('results-from', String(at)),
    oldestCheckAt: async () => firstCheckAt(connection),
  };
}

function lateRows(connection: Connection): Pick<RollUpStore, 'lateHours' | 'oldestLateHour' | 'forget'> {
  return {
    async lateHours(before, max) {
      const rows = connection
        .prepare(
          `SELECT l.*, c.id IS NULL AS is_gone FROM late_hours l
           LEFT JOIN checks c ON c.account_id = l.account_id AND c.id = l.check_id
           WHERE l.start_at < ? ORDER BY l.start_at LIMIT ?`,
        )
        .all(before, max) as unknown as (LateHour & { is_gone: number })[];
      return rows.map((row) => ({ ...row, isGone: row.is_gone === 1 }));
    },
    async oldestLateHour() {
      const at = connection.prepare('SELECT min(start_at) AS at FROM late_hours').get()?.['at'] ?? null;
      return at === null ? null : Number(at);
    },
    async forget(hours) {
      const statement = connection.prepare(
        'DELETE FROM late_hours WHERE account_id = ? AND check_id = ? AND start_at = ? AND touched = ?',
      );
      for (const hour of hours) statement.run(hour.account_id, hour.check_id, hour.start_at, hour.touched);
    },
  };
}

function sourceRows(connection: Connection): Pick<RollUpStore, 'checksAfter' | 'results' | 'hoursOf'> {
  return {
    async checksAfter(after, max) {
      // Two statements, because for `(account_id, id) > (?, ?)` SQLite would read all checks of the account.
      const columns = 'SELECT account_id AS accountId, id AS checkId FROM checks';
      type Keys = { accountId: IdBytes; checkId: IdBytes }[];
      const { accountId, checkId } = after ?? { accountId: new Uint8Array(), checkId: new Uint8Array() };
      const same = connection
        .prepare(`${columns} WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`)
        .all(accountId, checkId, max) as unknown as Keys;
      const others = connection
        .prepare(`${columns} WHERE account_id > ? ORDER BY account_id, id LIMIT ?`)
        .all(accountId, max - same.length) as unknown as Keys;
      return [...same, ...others];
    },
    async results(hours) {
      const statement = connection.prepare(
        `SELECT CASE WHEN slots > 1 THEN id END AS id, run_id IS NULL AS is_final, outcome, location, slots, interval_ms,
           response_us, hex(details) AS details_digits FROM results WHERE account_id = ? AND check_id = ? AND id >= ? AND id < ? ORDER BY id`,
      );
      const found: RawResult[][] = [];
      let read = 0;
      for (const { accountId, checkId, startAt } of hours) {
        if (read >= maxResults) break;
        const bounds = [firstIdAt(startAt), firstIdAt(startAt + hourMs)] as const;
        const rows = statement.all(accountId, checkId, ...bounds) as unknown as RawResult[];
        read += rows.length;
        found.push(rows);
      }
      return found;
    },
    async hoursOf(days) {
      const statement = connection.prepare(
        `SELECT * FROM roll_ups WHERE account_id = ? AND check_id = ? AND span = 0 AND start_at >= ? AND start_at < ?
         ORDER BY start_at, location`,
      );
      return days.map(
        ({ accountId, checkId, startAt }) =>
          statement.all(accountId, checkId, startAt, startAt + dayMs) as unknown as RollUpsTable[],
      );
    },
  };
}

function writtenRows(connection: Connection): Pick<RollUpStore, 'replace' | 'keepStretches' | 'removeOld'> {
  return {
    async replace(span, keys, rows) {
      const remove = connection.prepare(
        'DELETE FROM roll_ups WHERE account_id = ? AND check_id = ? AND span = ? AND start_at = ?',
      );
      for (const { accountId, checkId, startAt } of keys) remove.run(accountId, checkId, spans[span], startAt);
      for (const row of rows) insertRow(connection, 'roll_ups', row);
    },
    async keepStretches(stretches) {
      for (const stretch of stretches) insertRow(connection, 'missed_stretches', stretch, 'ON CONFLICT DO NOTHING');
    },
    async removeOld(checks, bounds) {
      const rollUps = connection.prepare(
        'DELETE FROM roll_ups WHERE account_id = ? AND check_id = ? AND span = ? AND start_at < ?',
      );
      const stretches = connection.prepare(
        'DELETE FROM missed_stretches WHERE account_id = ? AND check_id = ? AND end_at < ?',
      );
      for (const { accountId, checkId } of checks) {
        rollUps.run(accountId, checkId, spans.hour, bounds.hours);
        rollUps.run(accountId, checkId, spans.day, bounds.days);
        stretches.run(accountId, checkId, bounds.days);
      }
    },
  };
}
