// A call of a trigger as one transaction: limit, runs, counters, the trigger's row and the idempotency key.
import { addCounts, createCounts } from '../base/counts.ts';
import { countRows, findRow, inAccount, insertRows } from '../base/rows.ts';
import { monthStart } from '#domain/accounts/account.ts';
import { type Batch, type CallOptions, type CallRuns, maxNamed, type TriggerTarget } from '#domain/checks/batch.ts';
import { oneOf, placesOf } from '#domain/checks/plan-runs.ts';
import type { Trigger } from '#domain/checks/trigger.ts';
import { newIdAt } from '#lib/id.ts';
import { type IdBytes, idBytes, idText, json, parsed } from '../base/codec.ts';
import { sourceCodes } from '../base/codes.ts';
import { lockAccount, ownedBy } from '../base/database.ts';
import type { Db, RunsTable } from '../base/tables/schema.ts';
import type { SchedulesTable } from '../base/tables/schedule-tables.ts';
import type { Seal } from '../base/seal.ts';
import { keepOptions } from './trigger-calls.ts';
import { callTrigger } from './trigger-rows.ts';

/** A call of a trigger. Times are epoch ms. */
export interface TriggerOrder {
  readonly accountId: string;
  readonly target: TriggerTarget;
  /** Token for the trigger if it must be created; null = do not create one, and start nothing. */
  readonly newToken: string | null;
  /** A repeated call with the same key gets the same response and starts nothing. */
  readonly idempotencyKey: string | null;
  /** Codes of the available run locations, this server's own first. */
  readonly servedLocations: readonly string[];
  readonly now: number;
  /** Options of a call by token. */
  readonly options?: CallOptions;
}

/** Outcome of a call. */
export type TriggerStart =
  | { readonly outcome: 'started'; readonly trigger: Trigger; readonly batch: Batch; readonly call: CallRuns }
  /** `call` is null if an older version responded first. */
  | { readonly outcome: 'repeated'; readonly trigger: Trigger; readonly call: CallRuns | null }
  | { readonly outcome: 'no-target' }
  | { readonly outcome: 'over-limit'; readonly limit: number; readonly used: number; readonly wanted: number }
  /** Too many triggered runs are waiting or running; nothing was started. */
  | { readonly outcome: 'queue-full'; readonly max: number; readonly waiting: number; readonly wanted: number };

const keyRetentionMs = 86_400_000;
/** Rows per INSERT: many, and always the same number, so that the statement is prepared once. */
const runsAtOnce = 100;

/** Maximum number of open triggered runs per account, at all locations. */
export const maxTriggered = 5000;

export async function startTrigger(tx: Db, order: TriggerOrder, seal: Seal): Promise<TriggerStart> {
  await lockAccount(tx, order.accountId);
  const repeated = await earlierAnswer(tx, order);
  if (repeated !== null) return { outcome: 'repeated', ...repeated };
  if (!(await isThere(tx, order))) return { outcome: 'no-target' };

  const { groupId, checkId } = order.target;
  const batch = await planBatch(tx, order, checkId === null ? { group_id: groupId } : { id: [idBytes(checkId)] });
  const refused = await refusalOf(tx, order, batch.runs.length);
  if (refused !== null) return refused;

  const trigger = await callTrigger(tx, order);
  if (trigger === null) return { outcome: 'no-target' };
  await insertBatch(tx, order, batch.runs);
  const { accountId, now } = order;
  if (order.options !== undefined) await keepOptions(tx, { accountId, batchId: batch.id, now }, order.options, seal);
  const runIds = batch.checks.flatMap((check) => check.runIds);
  const call: CallRuns = { id: batch.id, runIds: runIds.length > maxNamed ? [] : runIds };
  await keepAnswer(tx, order, { ...trigger, call });
  return { outcome: 'started', trigger, call, batch: { accountId, id: batch.id, checks: batch.checks } };
}

/** Why an account cannot start so many runs now; null = it can. Locks its limit until the transaction ends. */
export async function refusalOf(
  tx: Db,
  { accountId, now }: Pick<TriggerOrder, 'accountId' | 'now'>,
  wanted: number,
): Promise<Extract<TriggerStart, { readonly outcome: 'over-limit' | 'queue-full' }> | null> {
  const { limit, used } = await limitOf(tx, { accountId, now });
  if (limit !== null && used + wanted > limit) return { outcome: 'over-limit', limit, used, wanted };
  const triggered = { account_id: idBytes(accountId), source: sourceCodes.encode('TRIGGER_API') };
  const waiting = await countRows(tx, 'runs', triggered);
  return waiting + wanted > maxTriggered ? { outcome: 'queue-full', max: maxTriggered, waiting, wanted } : null;
}

/** Queues planned runs and counts them. */
export async function insertBatch(
  tx: Db,
  order: Pick<TriggerOrder, 'accountId' | 'now'>,
  runs: readonly RunsTable[],
): Promise<void> {
  for (let start = 0; start < runs.length; start += runsAtOnce) {
    await insertRows(tx, 'runs', runs.slice(start, start + runsAtOnce));
  }
  await countRuns(tx, order, runs.length);
}

function operationOf({ groupId, checkId }: TriggerTarget): string {
  return checkId === null ? `trigger check-group ${groupId}` : `trigger check ${checkId}`;
}

type Answer = Trigger & { readonly call?: CallRuns };

async function earlierAnswer(tx: Db, order: TriggerOrder): Promise<{ trigger: Trigger; call: CallRuns | null } | null> {
  if (order.idempotencyKey === null) return null;
  await tx
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', idBytes(order.accountId))
    .where('created_at', '<=', order.now - keyRetentionMs)
    .execute();
  const key = { account_id: idBytes(order.accountId), key: order.idempotencyKey, operation: operationOf(order.target) };
  const row = await findRow(tx, 'idempotency_keys', key, ['answer']);
  if (row === undefined) return null;
  const { call = null, ...trigger } = parsed<Answer>(row.answer);
  return { trigger, call };
}

async function keepAnswer(tx: Db, order: TriggerOrder, answer: Answer): Promise<void> {
  if (order.idempotencyKey === null) return;
  await insertRows(tx, 'idempotency_keys', {
    ...ownedBy(order.accountId),
    key: order.idempotencyKey,
    operation: operationOf(order.target),
    answer: json(answer),
    created_at: order.now,
  });
}

async function isThere(tx: Db, { accountId, target }: TriggerOrder): Promise<boolean> {
  const account = idBytes(accountId);
  const row =
    target.checkId === null
      ? await findRow(tx, 'check_groups', { account_id: account, id: target.groupId ?? 0 }, ['name'])
      : await findRow(tx, 'checks', { account_id: account, id: idBytes(target.checkId) }, ['name']);
  return row !== undefined;
}

/** The runs of every activated check: a check has a schedule while it and its group are activated. */
export async function planBatch(
  tx: Db,
  { accountId, servedLocations, now }: Pick<TriggerOrder, 'accountId' | 'servedLocations' | 'now'>,
  wanted: { readonly group_id: number | null } | { readonly id: readonly IdBytes[] },
) {
  const account = idBytes(accountId);
  const activated = tx
    .selectFrom('checks')
    .innerJoin('schedules', inAccount('schedules.check_id', 'checks.id'))
    .select([
      'checks.id',
      'checks.name',
      'checks.check_type',
      'schedules.locations',
      'schedules.run_parallel',
      'schedules.interval_ms',
    ])
    .where('checks.account_id', '=', account)
    // Heartbeat checks cannot be started.
    .where('checks.check_type', '!=', 'HEARTBEAT')
    .orderBy('checks.created_at')
    .orderBy('checks.id');
  const rows = await (
    'id' in wanted
      ? activated.where('checks.id', 'in', wanted.id)
      : activated.where('checks.group_id', '=', wanted.group_id)
  ).execute();

  // It has the time of the call, which groups runs at several locations into one round.
  const id = newIdAt(now);
  const runs: RunsTable[] = [];
  const checks: { checkId: string; checkType: string; name: string; runIds: string[]; locations: readonly string[] }[] =
    [];
  const run = { account_id: account, source: sourceCodes.encode('TRIGGER_API'), slot_at: null, interval_ms: null };
  const waiting = { attempt: 1, due_at: now, first_started_at: null, available_at: now, leased_by: null };
  for (const row of rows) {
    const runIds: string[] = [];
    const locations = locationsOf(row, servedLocations, now);
    for (const location of locations) {
      // All have the same time, by which they are found again.
      const runId = newIdAt(now);
      runIds.push(runId);
      runs.push({ ...run, ...waiting, id: idBytes(runId), check_id: row.id, location, batch_id: idBytes(id) });
    }
    checks.push({ checkId: idText(row.id), checkType: row.check_type, name: row.name, runIds, locations });
  }
  return { id, runs, checks };
}

/** As the schedule would select them at `now`: all, or the next in turn. */
export function locationsOf(
  row: Pick<SchedulesTable, 'locations' | 'run_parallel' | 'interval_ms'>,
  served: readonly string[],
  now: number,
): readonly string[] {
  const all = placesOf(row.locations === '[]' ? [] : parsed<string[]>(row.locations), served);
  return row.run_parallel === 1 ? all : oneOf(all, now, row.interval_ms);
}

/** Runs that the account may still start this month; Infinity without a limit. */
export async function remainingRuns(tx: Db, accountId: string, now: number): Promise<number> {
  const { limit, used } = await limitOf(tx, { accountId, now });
  return limit === null ? Number.POSITIVE_INFINITY : limit - used;
}

/** Locks the limit until the runs are counted, so that the scheduler cannot use the last of them meanwhile. */
async function limitOf(tx: Db, { accountId, now }: Pick<TriggerOrder, 'accountId' | 'now'>) {
  await tx
    .updateTable('accounts')
    .set((row) => ({ execution_limit: row.ref('execution_limit') }))
    .where('id', '=', idBytes(accountId))
    .where('execution_limit', 'is not', null)
    .execute();
  const row = await tx
    .selectFrom('accounts')
    .leftJoin('usage', (join) =>
      join.onRef('usage.account_id', '=', 'accounts.id').on('usage.month', '=', monthStart(now)),
    )
    .select(['accounts.execution_limit as limit', 'usage.used as used'])
    .where('accounts.id', '=', idBytes(accountId))
    .executeTakeFirst();
  return { limit: row?.limit ?? null, used: row?.used ?? 0 };
}

/** Counts runs toward the execution limit. */
export async function countUsage(
  tx: Db,
  { accountId, now }: Pick<TriggerOrder, 'accountId' | 'now'>,
  runs: number,
): Promise<void> {
  await tx
    .insertInto('usage')
    .values({ ...ownedBy(accountId), month: monthStart(now), used: runs })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'month']).doUpdateSet((row) => ({ used: row('usage.used', '+', runs) })),
    )
    .execute();
}

/** Each run counts once toward the execution limit, and in the totals that runs and outcomes are compared by. */
export async function countRuns(
  tx: Db,
  { accountId, now }: Pick<TriggerOrder, 'accountId' | 'now'>,
  runs: number,
): Promise<void> {
  if (runs === 0) return;
  await countUsage(tx, { accountId, now }, runs);
  const counts = createCounts();
  counts.add(idBytes(accountId), now, 'on_demand', runs);
  await addCounts(tx, counts);
}
