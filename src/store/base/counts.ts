// Counters that are written once per transaction: runs by outcome, alerts and deliveries, per account and hour
// (docs/decisions/0149).
import { sql } from 'kysely';
import { hourMs, hourOf, slotsWithin, type Stretch } from '#domain/results/roll-up.ts';
import { type IdBytes, idBytes, idTime, latin1 } from './codec.ts';
import type { AccountCountsTable } from './tables/count-tables.ts';
import type { Db } from './tables/schema.ts';

const counters = [
  'scheduled',
  'on_demand',
  'passed',
  'degraded',
  'failed',
  'unknown',
  'missed',
  'limited',
  'misconfigured',
  'alerts',
  'muted',
  'deliveries',
] as const satisfies readonly (keyof AccountCountsTable)[];

/** Counters of an account_counts row. */
export type Counted = (typeof counters)[number];

/** How long counters are stored by hour, days; older ones are added up. */
export const countedDays = 64;
const countedMs = countedDays * 86_400_000;

const none = Object.fromEntries(counters.map((each) => [each, 0])) as Record<Counted, number>;

/** A complete row of account_counts. */
export type CountsRow = Record<Counted, number> & Pick<AccountCountsTable, 'account_id' | 'hour'>;

/** Number of the UTC hour that contains `at` (epoch ms). */
export function hourNumber(at: number): number {
  return Math.floor(at / hourMs);
}

/** Sums counters, so that each row is written once. Times are epoch ms: of the slot of a run, otherwise of the ID. */
export function createCounts() {
  const sums = new Map<string, CountsRow>();
  let last: CountsRow | null = null;
  const add = (accountId: IdBytes, at: number, counted: Counted, by = 1): void => {
    const hour = hourNumber(at);
    // Most increments are of one account, whose ID is the same bytes.
    if (last === null || last.account_id !== accountId || last.hour !== hour) {
      const key = `${hour}/${latin1(accountId)}`;
      last = sums.get(key) ?? { account_id: accountId, hour, ...none };
      sums.set(key, last);
    }
    last[counted] += by;
  };
  return {
    add,
    /**
     * Adds consecutive slots, each to its hour; those before the hours that are stored to the first of these.
     * @param now epoch ms
     */
    addSlots(accountId: IdBytes, stretch: Omit<Stretch, 'location'>, now: number, counted: readonly Counted[]): void {
      let done = 0;
      for (let at = hourOf(Math.max(stretch.slotAt, now - countedMs)); done < stretch.slots; at += hourMs) {
        const slots = slotsWithin(stretch, stretch.slotAt, at + hourMs) - done;
        done += slots;
        if (slots > 0) for (const each of counted) add(accountId, at, each, slots);
      }
    },
    /** New alerts. */
    addAlerts(rows: readonly { readonly account_id: IdBytes; readonly id: IdBytes }[]): void {
      for (const { account_id, id } of rows) add(account_id, idTime(id), 'alerts');
    },
    /** New deliveries. */
    addDeliveries(deliveries: readonly { readonly accountId: string; readonly id: string }[]): void {
      for (const { accountId, id } of deliveries) add(idBytes(accountId), idTime(idBytes(id)), 'deliveries');
    },
    /** In the same order in every process, to avoid deadlocks. */
    rows(): CountsRow[] {
      const rows = [...sums.values()];
      const orderOf = (a: CountsRow, b: CountsRow): number =>
        Buffer.compare(a.account_id, b.account_id) || a.hour - b.hour;
      return rows.length > 1 ? rows.sort(orderOf) : rows;
    },
  };
}

export type Counts = ReturnType<typeof createCounts>;

/** End of the INSERT of such rows: adds them to existing ones. */
export const addToCounts = `ON CONFLICT (account_id, hour) DO UPDATE SET ${counters
  .map((column) => `${column} = account_counts.${column} + excluded.${column}`)
  .join(', ')}`;

/** Adds counters within a transaction of the query builder; last, because others wait for the rows. */
export async function addCounts(tx: Db, counts: Counts): Promise<void> {
  const rows = counts.rows();
  if (rows.length === 0) return;
  const sums = counters.map((column) => [
    column,
    sql<number>`${sql.ref(`account_counts.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
  ]);
  await tx
    .insertInto('account_counts')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['account_id', 'hour']).doUpdateSet(Object.fromEntries(sums)))
    .execute();
}

/** Counts new deliveries within such a transaction. */
export async function countDeliveries(tx: Db, deliveries: Parameters<Counts['addDeliveries']>[0]): Promise<void> {
  const counts = createCounts();
  counts.addDeliveries(deliveries);
  await addCounts(tx, counts);
}
