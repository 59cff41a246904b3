// Rows of roll-ups in SQLite; the decisions are in roll-ups.ts.
import { dayMs, hourMs } from '#domain/results/roll-up.ts';
import { firstIdAt } from '../base/codec.ts';
import type { CheckKey } from '../roll-ups/roll-up-progress.ts';
import { spans } from './roll-up-rows.ts';
import {
  type LateHour,
  type RawResult,
  releaseResults,
  type RollUps,
  type RollUpStore,
  portableRows,
  rollUpTick,
} from './roll-ups.ts';
import type { RollUpsTable } from '../base/tables/roll-up-tables.ts';
import type { Connection } from '../engines/sqlite/connection.ts';
import { insertRows } from '../engines/sqlite/many-rows.ts';
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
    ...portableRows(async <Row>(statement: string, ...values: string[]) =>
      connection.select<Row>(statement)(...values),
    ),
    ...lateRows(connection),
    ...sourceRows(connection),
    ...writtenRows(connection),
    breathe: async () => {},
  };
}

function lateRows(connection: Connection): Pick<RollUpStore, 'lateHours' | 'forget'> {
  return {
    async lateHours(before, max) {
      const select = connection.select<LateHour & { is_gone: number }>(
        `SELECT l.*, c.id IS NULL AS is_gone FROM late_hours l
         LEFT JOIN checks c ON c.account_id = l.account_id AND c.id = l.check_id
         WHERE l.start_at < ? ORDER BY l.start_at LIMIT ?`,
      );
      return select(before, max).map((row) => ({ ...row, isGone: row.is_gone === 1 }));
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
      const select = (rest: string) => connection.select<CheckKey>(`${columns} ${rest} LIMIT ?`);
      const { accountId, checkId } = after ?? { accountId: new Uint8Array(), checkId: new Uint8Array() };
      const same = select('WHERE account_id = ? AND id > ? ORDER BY id')(accountId, checkId, max);
      return [...same, ...select('WHERE account_id > ? ORDER BY account_id, id')(accountId, max - same.length)];
    },
    async results(hours) {
      const select = connection.select<RawResult>(
        `SELECT CASE WHEN slots > 1 THEN id END AS id, run_id IS NULL AS is_final, outcome, location, slots, interval_ms,
           response_us, hex(details) AS details_digits FROM results WHERE account_id = ? AND check_id = ? AND id >= ? AND id < ? ORDER BY id`,
      );
      const found: RawResult[][] = [];
      let read = 0;
      for (const { accountId, checkId, startAt } of hours) {
        if (read >= maxResults) break;
        const bounds = [firstIdAt(startAt), firstIdAt(startAt + hourMs)] as const;
        const rows = select(accountId, checkId, ...bounds);
        read += rows.length;
        found.push(rows);
      }
      return found;
    },
    async hoursOf(days) {
      const select = connection.select<RollUpsTable>(
        `SELECT * FROM roll_ups WHERE account_id = ? AND check_id = ? AND span = 0 AND start_at >= ? AND start_at < ?
         ORDER BY start_at, location`,
      );
      return days.map(({ accountId, checkId, startAt }) => select(accountId, checkId, startAt, startAt + dayMs));
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
      insertRows(connection, 'roll_ups', rows);
    },
    async keepStretches(stretches) {
      insertRows(connection, 'missed_stretches', stretches, 'ON CONFLICT DO NOTHING');
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
