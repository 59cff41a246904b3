// Totals over all accounts, for metrics and readiness.
import { subscribersChannelId } from '#domain/deliveries/page-news.ts';
import { copiesFailSince, copyPlaces } from '#domain/status-pages/page-copies.ts';
import { readPageCopies } from '../status-pages/page-copies.ts';
import { findFact } from '../base/installation-fact.ts';
import { inAccount, selectRows } from '../base/rows.ts';
import { sql } from 'kysely';
import { noOutcomes } from '#domain/results/ledger.ts';
import { outcomes } from '#domain/results/result.ts';
import { idText } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import type { Dialect } from '../base/dialect.ts';
import { breathe } from '../base/slices.ts';
import { readRunCounts } from './ledger.ts';
import { readProgress } from '../roll-ups/roll-up-progress.ts';

/** Totals of the whole installation, for metrics and readiness. */
export function createFigures({ reader, dialect }: Database) {
  return {
    /**
     * Requested runs, their outcomes, and open runs. `difference` = requested - outcomes - open; any value but 0 is a
     * broken promise (design §1: every due slot has exactly one recorded outcome).
     */
    conservation: () => readConservation(reader),
    /**
     * Number of pending deliveries, and since when the longest waiting due one has waited for an attempt (epoch ms; null
     * = none). Attempts in progress do not wait. An interrupted delivery counts from the start of that attempt, or from
     * the end of its lease if known: its creation and earlier due times do not show whether deliveries are sent.
     */
    outbox: (now: number) => readOutbox(reader, now),
    /**
     * By run location: since when the longest waiting due run has waited for an attempt (epoch ms; null = none). Includes
     * all locations of open runs, available or not. Runs in progress, waiting for their retry, or of a paused account do
     * not wait. An interrupted run counts from the end of its lease, or from its due time if the lease was ended.
     */
    runQueue: (now: number) => readRunQueue(reader, dialect, now),
    /** Since when the most overdue heartbeat has been due, epoch ms; null = none. */
    async heartbeatDueAt(now: number): Promise<number | null> {
      const oldest = await reader
        .selectFrom('heartbeats')
        .where('due_at', '<=', now)
        .select(({ fn }) => fn.min('due_at').as('at'))
        .executeTakeFirst();
      return oldest?.at ?? null;
    },
    /** Number of failing alert channels. */
    async failingChannels(): Promise<number> {
      const row = await reader
        .selectFrom('alert_channels')
        .where('failing_since', 'is not', null)
        .select(({ fn }) => fn.countAll<number>().as('failing'))
        .executeTakeFirst();
      return row?.failing ?? 0;
    },
    /** Number of places whose copies of status pages are not up to date. */
    async failingPageCopies(now: number): Promise<number> {
      const states = await Promise.all(copyPlaces.map((place) => readPageCopies(reader, place)));
      return states.filter((state) => copiesFailSince(state, now) !== null).length;
    },
    /** Until when results are rolled up, epoch ms; null = none yet. */
    async rolledUpTo(): Promise<number | null> {
      return readProgress(await findFact(reader, 'rolled-up'))?.hourAt ?? null;
    },
    /** The newest state of each check; response time in ms. */
    checkStates: () => readCheckStates(reader),
  };
}

export type Figures = ReturnType<typeof createFigures>;

/**
 * Number of due deliveries, or runs of a location, to examine: more than a process can leave interrupted. Later ones
 * have waited no longer than the first that was not interrupted.
 */
const maxScanned = 2500;

async function readOutbox(reader: Db, now: number) {
  const pending = deliveryStatusCodes.encode('pending');
  const row = await selectRows(reader, 'deliveries', { status: pending })
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .executeTakeFirst();
  // Determined from an index alone; only these rows are read.
  const oldest = selectRows(reader, 'deliveries', { status: pending })
    // Those to subscribers of status pages wait for a place on purpose.
    .where('alert_channel_id', '<>', subscribersChannelId)
    .where('next_attempt_at', '<=', now)
    .select(['account_id', 'id'])
    .orderBy('next_attempt_at')
    .limit(maxScanned)
    .as('oldest');
  const found = await reader
    .selectFrom(oldest)
    .innerJoin('deliveries as delivery', (join) =>
      join.onRef('delivery.account_id', '=', 'oldest.account_id').onRef('delivery.id', '=', 'oldest.id'),
    )
    .select((row) => {
      const dueAt = row.ref('delivery.next_attempt_at');
      const begunAt = row.ref('delivery.attempt_started_at');
      const since = row.case().when(begunAt, '>', dueAt).then(begunAt).else(dueAt).end();
      return row.fn.min<number | null>(since).as('at');
    })
    .executeTakeFirst();
  return { pending: row?.pending ?? 0, waitingSince: found?.at ?? null };
}

async function readRunQueue(reader: Db, { runsOrder }: Dialect, now: number) {
  const order = sql.ref(runsOrder);
  // Jumps from one location to the next in the index, skipping the runs of each.
  const { rows } = await sql<{ location: string; at: number | null }>`
    WITH RECURSIVE places (location) AS (
      SELECT min(location) FROM runs
      UNION ALL
      SELECT (SELECT min(runs.location) FROM runs WHERE runs.location > places.location)
      FROM places WHERE places.location IS NOT NULL)
    SELECT places.location, (
      SELECT min(waiting.available_at) FROM (
        SELECT available_at FROM runs
        WHERE runs.location = places.location AND ${order} <= ${now} AND available_at <= ${now}
        ORDER BY ${order} LIMIT ${sql.lit(maxScanned)}) waiting) AS at
    FROM places WHERE places.location IS NOT NULL`.execute(reader);
  return rows.map(({ location, at }) => ({ location, waitingSince: at }));
}

/** Accounts per statement: each has up to 1,537 rows. */
const accountsAtOnce = 20;

async function readConservation(reader: Db) {
  const accounts = await reader.selectFrom('accounts').select('id').execute();
  const total = { requested: 0, outcomes: { ...noOutcomes }, open: 0, difference: 0 };
  for (let start = 0; start < accounts.length; start += accountsAtOnce) {
    if (start > 0) await breathe();
    const ids = accounts.slice(start, start + accountsAtOnce).map(({ id }) => id);
    const { scheduled, onDemand, outcomes: ended, open } = await readRunCounts(reader, ids);
    total.requested += scheduled + onDemand;
    total.open += open;
    for (const outcome of outcomes) total.outcomes[outcome] += ended[outcome];
  }
  const closed = outcomes.reduce((sum, outcome) => sum + total.outcomes[outcome], 0);
  return { ...total, difference: total.requested - closed - total.open };
}

async function readCheckStates(reader: Db) {
  const rows = await reader
    .selectFrom('check_states')
    .innerJoin('checks', inAccount('checks.id', 'check_states.check_id'))
    .select(['checks.account_id', 'checks.id', 'checks.name', 'check_states.status', 'last_response_us'])
    .execute();
  return rows.map((row) => ({
    accountId: idText(row.account_id),
    checkId: idText(row.id),
    name: row.name,
    status: row.status ?? 'unknown',
    responseTimeMs: row.last_response_us === null ? null : row.last_response_us / 1000,
  }));
}
