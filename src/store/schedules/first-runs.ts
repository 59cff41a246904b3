// Checks that run at once: requested in the transaction of the change, started by the scheduler (docs/decisions/0116).
import { findRows, insertRows, selectRows } from '../base/rows.ts';
import { newIdAt } from '#lib/id.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';
import { sourceCodes } from '../base/codes.ts';
import { type Database, lockAccount, ownedBy } from '../base/database.ts';
import type { Db, RunsTable } from '../base/tables/schema.ts';
import { countRuns, locationsOf, remainingRuns } from '../checks/start-trigger.ts';

/** Delay between the runs of an account, ms: a deployment of a thousand checks takes 20 s. */
const spacingMs = 20;
/** Further in the future than the runs of any deployment, ms. */
const maxAheadMs = 3_600_000;
/** Maximum number of checks started per tick. */
const atOnce = 100;

/**
 * Requests one run of each check: the first now, the others one after the other. Call it in the transaction of the
 * change.
 */
export async function askForRuns(tx: Db, accountId: string, checkIds: readonly string[], now: number): Promise<void> {
  if (checkIds.length === 0) return;
  const { last } = await selectRows(tx, 'first_runs', { account_id: idBytes(accountId) })
    .select(({ fn }) => fn.max('due_at').as('last'))
    .executeTakeFirstOrThrow();
  const first = last === null ? now : Math.max(now, last + spacingMs);
  const rows = checkIds.map((checkId, index) => ({
    ...ownedBy(accountId),
    check_id: idBytes(checkId),
    due_at: first + index * spacingMs,
  }));
  await insertRows(tx, 'first_runs', rows, 'keep');
}

/** Checks that run once outside their schedule. */
export function createFirstRuns({ reader, waitingTransaction }: Database) {
  return {
    /**
     * Starts the due runs, and says when the next one is due; times are epoch ms. Omits a check without a schedule, and a run that the account's execution limit does not allow.
     * @param servedLocations codes of the available run locations, this server's own first
     */
    async start(
      now: number,
      servedLocations: readonly string[],
    ): Promise<{ readonly runs: number; readonly nextDueAt: number | null }> {
      const found = await reader
        .selectFrom('first_runs')
        .selectAll()
        .orderBy('due_at')
        .limit(atOnce + 1)
        .execute();
      // After a clock was set back, no run waits for the repeated time.
      const isDue = ({ due_at }: { due_at: number }): boolean => due_at <= now || due_at > now + maxAheadMs;
      const due = found.filter(isDue).slice(0, atOnce);
      let runs = 0;
      for (const [accountId, own] of Map.groupBy(due, ({ account_id }) => idText(account_id))) {
        const checkIds = own.map(({ check_id }) => check_id);
        runs += await waitingTransaction((tx) => startRuns(tx, accountId, checkIds, { now, servedLocations }));
      }
      return { runs, nextDueAt: found[due.length]?.due_at ?? null };
    },
  };
}

/** Runs of one account. */
async function startRuns(
  tx: Db,
  accountId: string,
  checkIds: readonly IdBytes[],
  { now, servedLocations }: { readonly now: number; readonly servedLocations: readonly string[] },
): Promise<number> {
  await lockAccount(tx, accountId);
  const account = idBytes(accountId);
  const asked = await tx
    .deleteFrom('first_runs')
    .where('account_id', '=', account)
    .where('check_id', 'in', checkIds)
    .returning('check_id')
    .execute();
  if (asked.length === 0) return 0;
  const key = { account_id: account, check_id: asked.map(({ check_id }) => check_id) };
  const schedules = await findRows(tx, 'schedules', key, ['check_id', 'locations', 'run_parallel', 'interval_ms']);
  const remaining = await remainingRuns(tx, accountId, now);
  const runs: RunsTable[] = [];
  for (const row of schedules) {
    const locations = locationsOf(row, servedLocations, now);
    if (runs.length + locations.length > remaining) break;
    const round = { check_id: row.check_id, batch_id: idBytes(newIdAt(now)) };
    runs.push(...locations.map((location) => ({ ...waitingRun(account, now), ...round, location })));
  }
  await insertRows(tx, 'runs', runs);
  await countRuns(tx, { accountId, now }, runs.length);
  return runs.length;
}

function waitingRun(account: IdBytes, now: number) {
  return {
    account_id: account,
    id: idBytes(newIdAt(now)),
    source: sourceCodes.encode('SCHEDULE_NOW'),
    slot_at: null,
    interval_ms: null,
    attempt: 1,
    due_at: now,
    first_started_at: null,
    available_at: now,
    leased_by: null,
  };
}
