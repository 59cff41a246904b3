// Counts for the ledger of an account: counters on one side, what is stored on the other (docs/decisions/0149).
import { type RawBuilder, sql } from 'kysely';
import type { TimeSpan } from '#domain/checks/calendar.ts';
import {
  type AlertCounts,
  countedMeanwhile,
  type DeliveryCounts,
  noOutcomes,
  noStatuses,
  type OutcomeCounts,
  type RunCounts,
  sumOf,
} from '#domain/results/ledger.ts';
import { outcomes } from '#domain/results/result.ts';
import { dayMs } from '#domain/results/roll-up.ts';
import { firstIdAt, type IdBytes, idBytes, idText, latin1 } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import { addCounts, type Counted, countedDays, createCounts, hourNumber } from '../base/counts.ts';
import type { Database } from '../base/database.ts';
import { selectRows } from '../base/rows.ts';
import { breathe } from '../base/slices.ts';
import type { Db } from '../base/tables/schema.ts';

/** Rows per statement, because a longer one would block the event loop. */
const rowsAtOnce = 2000;
/** Rows of counters that are added up per call. */
const oldAtOnce = 400;

export function createLedger({ reader, transaction, clock }: Database) {
  return {
    /** Epoch ms; counters of earlier hours are no longer stored one by one. */
    countedFrom: (): number => clock.now() - countedDays * dayMs,
    /** All accounts, oldest first. */
    async accounts(): Promise<{ readonly id: string; readonly name: string | null }[]> {
      const rows = await reader.selectFrom('accounts').select(['id', 'name']).orderBy('id').execute();
      return rows.map(({ id, name }) => ({ id: idText(id), name }));
    },
    /** Runs of an account whose slot or start is in a span of full hours (epoch ms), all at the same time. */
    runs: (accountId: string, span: TimeSpan): Promise<RunCounts> => readRunCounts(reader, [idBytes(accountId)], span),
    /**
     * Alerts that an account raised in a span of full hours (epoch ms), and those that were muted.
     * @param storedFrom full hour from which on alerts are stored, epoch ms
     */
    async alerts(accountId: string, span: TimeSpan, storedFrom: number): Promise<AlertCounts> {
      const key = { account_id: idBytes(accountId) };
      const before = await readCounters(reader, key, span, storedFrom);
      const found = { notified: 0, suppressed: 0, unsubscribed: 0 };
      for await (const { channels, is_suppressed } of rowsOf(
        (range) =>
          selectRows(reader, 'alerts', key)
            .select(['id', 'channels', sql<number | boolean>`suppressed_by IS NOT NULL`.as('is_suppressed')])
            .where(range)
            .orderBy('id')
            .limit(rowsAtOnce)
            .execute(),
        laterOf(span, storedFrom),
      )) {
        found[is_suppressed ? 'suppressed' : channels > 0 ? 'notified' : 'unsubscribed']++;
      }
      const { muted, expiredAlerts: expired, alerts } = await readCounters(reader, key, span, storedFrom);
      return { raised: countedMeanwhile(before.alerts, expired + sumOf(found), alerts), muted, expired, ...found };
    },
    /** Deliveries that were added in a span of full hours, likewise. */
    async deliveries(accountId: string, span: TimeSpan, storedFrom: number): Promise<DeliveryCounts> {
      const key = { account_id: idBytes(accountId) };
      const before = await readCounters(reader, key, span, storedFrom);
      const statuses = { ...noStatuses };
      for await (const { status } of rowsOf(
        (range) =>
          selectRows(reader, 'deliveries', key)
            .select(['id', 'status'])
            .where(range)
            .orderBy('id')
            .limit(rowsAtOnce)
            .execute(),
        laterOf(span, storedFrom),
      )) {
        statuses[deliveryStatusCodes.decode(status)]++;
      }
      const { expiredDeliveries: expired, deliveries } = await readCounters(reader, key, span, storedFrom);
      return { added: countedMeanwhile(before.deliveries, expired + sumOf(statuses), deliveries), expired, statuses };
    },
    /** Adds up some counters of hours that are no longer stored one by one. @returns number of hours */
    async removeOld(): Promise<number> {
      const old = await findOld(reader, clock.now());
      for (const own of Map.groupBy(old, ({ account_id }) => latin1(account_id)).values()) {
        await transaction((tx) => addUp(tx, own));
      }
      return old.length;
    },
  };
}

export type Ledger = ReturnType<typeof createLedger>;

/** The oldest counters of all accounts that are still stored by hour and need not be. */
function findOld(reader: Db, now: number) {
  return reader
    .selectFrom('account_counts')
    .select(['account_id', 'hour'])
    .where('hour', '>', 0)
    .where('hour', '<', hourNumber(now - countedDays * dayMs))
    .orderBy('hour')
    .limit(oldAtOnce)
    .execute();
}

/** Moves counters of an account into the row of hour 0. */
async function addUp(tx: Db, own: readonly { readonly account_id: IdBytes; readonly hour: number }[]): Promise<void> {
  const removed = await tx
    .deleteFrom('account_counts')
    .where('account_id', '=', own[0]?.account_id ?? new Uint8Array())
    .where(
      'hour',
      'in',
      own.map(({ hour }) => hour),
    )
    .returningAll()
    .execute();
  const counts = createCounts();
  for (const { account_id, hour: _, ...counted } of removed) {
    for (const [name, by] of Object.entries(counted)) counts.add(account_id, 0, name as Counted, by);
  }
  await addCounts(tx, counts);
}

/**
 * Counters of runs, and runs in progress, in one statement, so that they are of the same time.
 * @param span full hours, epoch ms; absent = always
 */
export async function readRunCounts(
  reader: Db,
  accounts: readonly IdBytes[],
  span: TimeSpan | null = null,
): Promise<RunCounts & { readonly open: number }> {
  const key = { account_id: accounts };
  const counted = selectRows(reader, 'account_counts', key);
  const open = selectRows(reader, 'runs', key).select(({ fn }) => fn.countAll<number>().as('n'));
  const [counts, runs] =
    span === null
      ? [counted, open]
      : [
          counted.where('hour', '>=', hourNumber(span.from)).where('hour', '<', hourNumber(span.to)),
          open.where('id', '>=', firstIdAt(span.from)).where('id', '<', firstIdAt(span.to)),
        ];
  const row = await counts
    .select(({ fn }) => [
      fn.sum<number | string | null>('scheduled').as('scheduled'),
      fn.sum<number | string | null>('on_demand').as('on_demand'),
      ...outcomes.map((outcome) => fn.sum<number | string | null>(outcome).as(outcome)),
    ])
    .select([runs.as('open'), runs.where('leased_by', 'is not', null).as('running')])
    .executeTakeFirstOrThrow();
  const found = row as Readonly<Record<string, number | string | null>>;
  const number = (name: string): number => Number(found[name] ?? 0);
  const ended = Object.fromEntries(outcomes.map((outcome) => [outcome, number(outcome)]));
  const [running, all] = [number('running'), number('open')];
  return {
    scheduled: number('scheduled'),
    onDemand: number('on_demand'),
    outcomes: { ...noOutcomes, ...(ended as OutcomeCounts) },
    running,
    waiting: all - running,
    open: all,
  };
}

/** The part of a span from a time on; empty if there is none. */
function laterOf({ from, to }: TimeSpan, at: number): TimeSpan {
  return { from: Math.min(to, Math.max(from, at)), to };
}

/** Rows by the time of their IDs, in slices that yield to the event loop. */
async function* rowsOf<Row extends { readonly id: IdBytes }>(
  read: (range: RawBuilder<boolean>) => Promise<readonly Row[]>,
  { from, to }: TimeSpan,
): AsyncGenerator<Row> {
  for (let last: IdBytes | null = null; ;) {
    const start = last === null ? sql`id >= ${firstIdAt(from)}` : sql`id > ${last}`;
    const rows: readonly Row[] = await read(sql<boolean>`${start} AND id < ${firstIdAt(to)}`);
    yield* rows;
    if (rows.length < rowsAtOnce) return;
    last = rows.at(-1)?.id ?? null;
    await breathe();
  }
}

/** Counters of alerts and deliveries in a span, and their part before a time. */
async function readCounters(
  reader: Db,
  key: { readonly account_id: IdBytes },
  { from, to }: TimeSpan,
  storedFrom: number,
) {
  const before = (name: 'alerts' | 'deliveries') =>
    sql<number | string | null>`sum(CASE WHEN hour < ${hourNumber(storedFrom)} THEN ${sql.ref(name)} ELSE 0 END)`;
  const row = await selectRows(reader, 'account_counts', key)
    .where('hour', '>=', hourNumber(from))
    .where('hour', '<', hourNumber(to))
    .select(({ fn }) => [
      fn.sum<number | string | null>('alerts').as('alerts'),
      fn.sum<number | string | null>('muted').as('muted'),
      fn.sum<number | string | null>('deliveries').as('deliveries'),
      before('alerts').as('expiredAlerts'),
      before('deliveries').as('expiredDeliveries'),
    ])
    .executeTakeFirstOrThrow();
  return {
    alerts: Number(row.alerts ?? 0),
    muted: Number(row.muted ?? 0),
    deliveries: Number(row.deliveries ?? 0),
    expiredAlerts: Number(row.expiredAlerts ?? 0),
    expiredDeliveries: Number(row.expiredDeliveries ?? 0),
  };
}
