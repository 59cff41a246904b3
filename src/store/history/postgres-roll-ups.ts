// Rows of roll-ups in PostgreSQL; the decisions are in roll-ups.ts.
import { dayMs, hourMs } from '#domain/results/roll-up.ts';
import { firstIdAt, idText } from '../base/codec.ts';
import { breathe } from '../base/slices.ts';
import type { CheckKey } from '../roll-ups/roll-up-progress.ts';
import { rollUpLock } from '../engines/postgres/schema.ts';
import { type SpanKey, spans } from './roll-up-rows.ts';
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
import { type Bulk, type ColumnTypes, createBulk, columnsOf } from '../engines/postgres/bulk.ts';
import type { Connections } from '../engines/postgres/connections.ts';
import type { Session } from '../engines/postgres/session.ts';

/** Results per tick. They are added in small groups. */
const maxResults = 1800;

/** Checks and marks per tick. */
const size = { checks: 1000, lateHours: 50 };

/** Roll-ups of a database, by one process at a time. */
export function createPostgresRollUps(connections: Connections, types: ColumnTypes): RollUps {
  const alone = <Answer>(work: (store: RollUpStore) => Promise<Answer>): Promise<Answer | null> =>
    connections.transaction(async (session) => {
      const [taken] = await session.query<{ mine: boolean }>(`SELECT pg_try_advisory_xact_lock(${rollUpLock}) AS mine`);
      return taken?.mine === true ? work(rollUpStoreOf(session, createBulk(session, types))) : null;
    });
  return {
    tick: async (now, resultRetentionMs) =>
      (await alone((store) => rollUpTick(store, now, size, resultRetentionMs))) ?? {
        results: 0,
        hours: 0,
        isThrough: true,
      },
    // Waits for a tick in progress, because a caller that may not delete anything yet retries only after minutes.
    release: (before) =>
      connections.transaction(async (session) => {
        await session.query(`SELECT pg_advisory_xact_lock(${rollUpLock})`);
        return releaseResults(rollUpStoreOf(session, createBulk(session, types)), before);
      }),
  };
}

function rollUpStoreOf(session: Session, bulk: Bulk): RollUpStore {
  return {
    ...portableRows((statement, ...values) => {
      let number = 0;
      return session.query(
        statement.replaceAll('?', () => `$${++number}`),
        values,
      );
    }),
    ...lateRows(session),
    ...sourceRows(session),
    ...writtenRows(session, bulk),
    breathe,
  };
}

function lateRows(session: Session): Pick<RollUpStore, 'lateHours' | 'forget'> {
  return {
    lateHours: (before, max) => readLateHours(session, before, max),
    async forget(hours) {
      if (hours.length === 0) return;
      await session.query(
        `DELETE FROM late_hours l
         USING unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[]) AS g (account_id, check_id, start_at, touched)
         WHERE l.account_id = g.account_id AND l.check_id = g.check_id AND l.start_at = g.start_at
           AND l.touched = g.touched`,
        columnsOf(hours, 'account_id', 'check_id', 'start_at', 'touched'),
      );
    },
  };
}

function sourceRows(session: Session): Pick<RollUpStore, 'checksAfter' | 'results' | 'hoursOf'> {
  return {
    checksAfter: (after, max) =>
      // Locked, so that no check is deleted while its rows are written.
      session.query<CheckKey>(
        `SELECT account_id AS "accountId", id AS "checkId" FROM checks WHERE (account_id, id) > ($1, $2)
         ORDER BY account_id, id LIMIT $3 FOR KEY SHARE`,
        [after?.accountId ?? Buffer.alloc(0), after?.checkId ?? Buffer.alloc(0), max],
      ),
    results: (hours) => readResults(session, hours),
    async hoursOf(days) {
      const rows = await session.query<RollUpsTable>(
        `SELECT r.* FROM ${keysFrom(1)} JOIN roll_ups r ON r.account_id = k.account_id AND r.check_id = k.check_id
           AND r.span = 0 AND r.start_at >= k.start_at AND r.start_at < k.start_at + ${dayMs}
         ORDER BY r.start_at, r.location`,
        columnsOf(days, 'accountId', 'checkId', 'startAt'),
      );
      const byDay = Map.groupBy(
        rows,
        (row) => `${idText(row.check_id)}${Math.floor(row.start_at / dayMs) * dayMs}${idText(row.account_id)}`,
      );
      return days.map((day) => byDay.get(`${idText(day.checkId)}${day.startAt}${idText(day.accountId)}`) ?? []);
    },
  };
}

function writtenRows(session: Session, bulk: Bulk): Pick<RollUpStore, 'replace' | 'keepStretches' | 'removeOld'> {
  return {
    async replace(span, keys, rows) {
      await session.query(
        `DELETE FROM roll_ups r USING ${keysFrom(1)}
         WHERE r.account_id = k.account_id AND r.check_id = k.check_id AND r.span = $4 AND r.start_at = k.start_at`,
        [...columnsOf(keys, 'accountId', 'checkId', 'startAt'), spans[span]],
      );
      await bulk.insert('roll_ups', rows);
    },
    keepStretches: async (stretches) =>
      void (await bulk.insert('missed_stretches', stretches, 'ON CONFLICT DO NOTHING')),
    async removeOld(checks, { hours, days }) {
      const keys = columnsOf(checks, 'accountId', 'checkId');
      const ofChecks = `USING unnest($1::bytea[], $2::bytea[]) AS k (account_id, check_id)
         WHERE r.account_id = k.account_id AND r.check_id = k.check_id`;
      await session.query(`DELETE FROM roll_ups r ${ofChecks} AND r.span = 0 AND r.start_at < $3`, [...keys, hours]);
      await session.query(`DELETE FROM roll_ups r ${ofChecks} AND r.span = 1 AND r.start_at < $3`, [...keys, days]);
      await session.query(`DELETE FROM missed_stretches r ${ofChecks} AND r.end_at < $3`, [...keys, days]);
    },
  };
}

/** Keys of ranges as a table `k`, from three arrays that are the values `from` and the next. */
function keysFrom(from: number): string {
  return `unnest($${from}::bytea[], $${from + 1}::bytea[], $${from + 2}::bigint[]) AS k (account_id, check_id, start_at)`;
}

async function readLateHours(session: Session, before: number, max: number): Promise<LateHour[]> {
  const rows = await session.query<LateHour & { is_gone: boolean }>(
    `SELECT l.*, NOT EXISTS (SELECT FROM checks c WHERE c.account_id = l.account_id AND c.id = l.check_id) AS is_gone
     FROM late_hours l WHERE l.start_at < $1 ORDER BY l.start_at, l.account_id, l.check_id LIMIT $2`,
    [before, max],
  );
  return rows.map((row) => ({ ...row, isGone: row.is_gone }));
}

interface Numbered extends RawResult {
  /** Index of its hour, starting at 1. */
  readonly hour: number;
}

async function readResults(session: Session, hours: readonly SpanKey[]): Promise<RawResult[][]> {
  const rows = await readNumbered(session, hours, maxResults + 1);
  // Truncated within an hour: that one is read again; if it is the first, it is read completely.
  const cut = rows.length > maxResults ? (rows.at(-1)?.hour ?? 1) : null;
  if (cut === 1 && hours.length > 0) return [await readNumbered(session, hours.slice(0, 1), null)];
  const byHour = Map.groupBy(rows, ({ hour }) => hour);
  return hours.slice(0, cut === null ? hours.length : cut - 1).map((_, index) => byHour.get(index + 1) ?? []);
}

function readNumbered(session: Session, hours: readonly SpanKey[], max: number | null): Promise<Numbered[]> {
  // Outer bounds as values, so that partitions without any of these hours are not scanned.
  const starts = hours.map(({ startAt }) => startAt);
  return session.query<Numbered>(
    `SELECT k.hour, r.* FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bytea[]) WITH ORDINALITY
       AS k (account_id, check_id, first_id, end_id, hour)
     CROSS JOIN LATERAL (
       SELECT CASE WHEN slots > 1 THEN id END AS id, (run_id IS NULL)::int AS is_final, outcome, location, slots,
         interval_ms, response_us, encode(details, 'hex') AS details_digits FROM results
       WHERE account_id = k.account_id AND check_id = k.check_id AND id >= k.first_id AND id < k.end_id
         AND id >= $5 AND id < $6 ORDER BY results.id) r
     ORDER BY k.hour LIMIT $7`,
    [
      ...columnsOf(hours, 'accountId', 'checkId'),
      starts.map((at) => firstIdAt(at)),
      starts.map((at) => firstIdAt(at + hourMs)),
      firstIdAt(Math.min(...starts)),
      firstIdAt(Math.max(...starts) + hourMs),
      max,
    ],
  );
}
