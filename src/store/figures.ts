// Figures over all accounts, for metrics and readiness.
import { outcomes, type Outcome } from '#domain/result.ts';
import { idText } from './codec.ts';
import { deliveryStatusCodes } from './codes.ts';
import type { Database } from './database.ts';
import { readProgress } from './roll-up-progress.ts';

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
  /** Pending deliveries, and since when the one that waits longest is due (epoch ms; null = none is). */
  outbox(now: number): Promise<{ readonly pending: number; readonly oldestDueAt: number | null }>;
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

export function createFigures({ reader }: Database): Figures {
  return {
    conservation: () => readConservation(reader),
    async outbox(now) {
      const pending = deliveryStatusCodes.encode('pending');
      const row = await reader
        .selectFrom('deliveries')
        .where('status', '=', pending)
        .select(({ fn }) => fn.countAll<number>().as('pending'))
        .executeTakeFirst();
      const oldest = await reader
        .selectFrom('deliveries')
        .where('status', '=', pending)
        .where('next_attempt_at', '<=', now)
        .select(({ fn }) => fn.min('next_attempt_at').as('at'))
        .executeTakeFirst();
      return { pending: row?.pending ?? 0, oldestDueAt: oldest?.at ?? null };
    },
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
