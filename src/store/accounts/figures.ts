// Figures over all accounts, for metrics and readiness.
import { sql } from 'kysely';
import { outcomes, type Outcome } from '#domain/results/result.ts';
import { idText } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { Dialect } from '../base/dialect.ts';
import { readProgress } from '../history/roll-up-progress.ts';

/** Figures of the whole installation, for metrics and readiness. */
export interface Figures {
  /**
   * Runs that were asked for, what became of them, and those still open. `difference` = asked for - outcomes - open;
   * anything but 0 is a broken promise (design §1: every due slot has exactly one recorded outcome).
   */
  conservation(): Promise<{
    readonly askedFor: number;
    readonly outcomes: Readonly<Record<Outcome, number>>;
    readonly open: number;
    readonly difference: number;
  }>;
  /**
   * Pending deliveries, and since when the one waits that is due and has waited longest for an attempt to begin (epoch ms;
   * null = none does). What is under way does not wait; what was cut off waits since that attempt began, or since its lease ran
   * out where that is known: when it was made, and when it was due before, says nothing of whether deliveries are sent.
   */
  outbox(now: number): Promise<{ readonly pending: number; readonly waitingSince: number | null }>;
  /**
   * By run location: since when the run waits that is due and has waited longest for an attempt to begin (epoch ms; null = none
   * does). Locations are those of all open runs, served or not. What is under way, waits for its retry or is of an account that
   * is paused does not wait; what was cut off waits since its lease ran out, or since it was due where the lease was ended.
   */
  runQueue(now: number): Promise<readonly { readonly location: string; readonly waitingSince: number | null }[]>;
  /** Since when the heartbeat is due that waits longest to be judged, epoch ms; null = none is. */
  heartbeatDueAt(now: number): Promise<number | null>;
  /** Alert channels that do not receive any more. */
  failingChannels(): Promise<number>;
  /** Up to when results are rolled up, epoch ms; null = nothing has been yet. */
  rolledUpTo(): Promise<number | null>;
  /** The newest state of each check; response time in ms. */
  checkStates(): Promise<
    readonly {
      readonly accountId: string;
      readonly checkId: string;
      readonly name: string;
      readonly status: string;
      readonly responseTimeMs: number | null;
    }[]
  >;
}

export function createFigures({ reader, dialect }: Database): Figures {
  return {
    conservation: () => readConservation(reader),
    outbox: (now) => readOutbox(reader, now),
    runQueue: (now) => readRunQueue(reader, dialect, now),
    async heartbeatDueAt(now) {
      const oldest = await reader
        .selectFrom('heartbeats')
        .where('due_at', '<=', now)
        .select(({ fn }) => fn.min('due_at').as('at'))
        .executeTakeFirst();
      return oldest?.at ?? null;
    },
    async failingChannels() {
      const row = await reader
        .selectFrom('alert_channels')
        .where('failing_since', 'is not', null)
        .select(({ fn }) => fn.countAll<number>().as('failing'))
        .executeTakeFirst();
      return row?.failing ?? 0;
    },
    async rolledUpTo() {
      const kept = await reader
        .selectFrom('installation')
        .select('value')
        .where('key', '=', 'rolled-up')
        .executeTakeFirst();
      return readProgress(kept?.value ?? null)?.hourAt ?? null;
    },
    checkStates: () => readCheckStates(reader),
  };
}

/**
 * Due deliveries, and runs of a location, that are looked at: more than a process leaves cut off. Of those behind them none has
 * waited longer than it is due, and so none longer than the first that was not cut off.
 */
const lookedAtMost = 2500;

async function readOutbox(reader: Database['reader'], now: number): ReturnType<Figures['outbox']> {
  const pending = deliveryStatusCodes.encode('pending');
  const row = await reader
    .selectFrom('deliveries')
    .where('status', '=', pending)
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .executeTakeFirst();
  // Told by an index alone; the rows are read of these only.
  const oldest = reader
    .selectFrom('deliveries')
    .where('status', '=', pending)
    .where('next_attempt_at', '<=', now)
    .select(['account_id', 'id'])
    .orderBy('next_attempt_at')
    .limit(lookedAtMost)
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

async function readRunQueue(
  reader: Database['reader'],
  { runsOrder }: Dialect,
  now: number,
): ReturnType<Figures['runQueue']> {
  const order = sql.ref(runsOrder);
  // From one location to the next by the index, past all runs of each.
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
        ORDER BY ${order} LIMIT ${sql.lit(lookedAtMost)}) waiting) AS at
    FROM places WHERE places.location IS NOT NULL`.execute(reader);
  return rows.map(({ location, at }) => ({ location, waitingSince: at }));
}

async function readConservation(reader: Database['reader']): ReturnType<Figures['conservation']> {
  // One statement, so that all three figures are of the same moment.
  const row = await reader
    .selectFrom('run_counts')
    .select((row) => [
      row.fn.sum<number>('scheduled').as('scheduled'),
      row.fn.sum<number>('on_demand').as('on_demand'),
      ...outcomes.map((outcome) => row.fn.sum<number>(outcome).as(outcome)),
      row
        .selectFrom('runs')
        .select((runs) => runs.fn.countAll<number>().as('open'))
        .as('open'),
    ])
    .executeTakeFirst();
  const number = (key: string): number => Number((row as Record<string, unknown> | undefined)?.[key] ?? 0);
  const byOutcome = Object.fromEntries(outcomes.map((outcome) => [outcome, number(outcome)]));
  const askedFor = number('scheduled') + number('on_demand');
  const open = number('open');
  const closed = outcomes.reduce((sum, outcome) => sum + number(outcome), 0);
  return {
    askedFor,
    outcomes: byOutcome as Record<Outcome, number>,
    open,
    difference: askedFor - closed - open,
  };
}

async function readCheckStates(reader: Database['reader']): ReturnType<Figures['checkStates']> {
  const rows = await reader
    .selectFrom('check_states')
    .innerJoin('checks', (join) =>
      join.onRef('checks.account_id', '=', 'check_states.account_id').onRef('checks.id', '=', 'check_states.check_id'),
    )
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
