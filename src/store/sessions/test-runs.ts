// The queue of the runs of test sessions: leased, repeated after a crash, retried after a failure.
import { sql } from 'kysely';
import type { Finding } from '#domain/results/result.ts';
import { runRetryAt } from '#domain/checks/run.ts';
import { type TestRun } from '#domain/sessions/test-session.ts';
import { newId } from '#lib/id.ts';
import { idBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Seal } from '../base/seal.ts';
import type { Db } from '../base/tables/schema.ts';
import type { TestRunsTable } from '../base/tables/session-tables.ts';
import { renewLeases, type TrialLease } from '../checks/check-trials.ts';
import { appendTestEvent } from './test-events.ts';
import { failures, testRunOf } from './test-sessions.ts';

/** The queue; times are epoch ms. */
export function createTestRuns({ transaction, waitingTransaction, seal }: Database) {
  return {
    /** Leases runs, those first whose accounts have the fewest before them. Repeats those whose lease ended. */
    claim: (lease: TrialLease, max: number): Promise<TestRun[]> => transaction((tx) => claimRuns(tx, lease, max, seal)),
    /** Returns the IDs of those that were cancelled, have ended, or were taken by another process. */
    renew: (runs: readonly Pick<TestRun, 'accountId' | 'id'>[], lease: TrialLease): Promise<string[]> =>
      transaction((tx) => renewLeases(tx, 'test_runs', runs, lease)),
    /** Stores the finding of an attempt, and queues the next one if the run is retried. */
    end: (run: Pick<TestRun, 'accountId' | 'id'>, owner: string, finding: Finding, now: number): Promise<void> =>
      waitingTransaction((tx) => endAttempt(tx, run, owner, finding, now, seal)),
  };
}

async function claimRuns(
  tx: Db,
  { location, owner, now, leaseMs }: TrialLease,
  max: number,
  seal: Seal,
): Promise<TestRun[]> {
  const waiting = tx
    .selectFrom('test_runs')
    .select(['account_id', 'id'])
    .select(sql<number>`row_number() OVER (PARTITION BY account_id ORDER BY available_at, id)`.as('place'))
    .where('ended_at', 'is', null)
    .where('location', '=', location)
    .where('available_at', '<=', now)
    .where((row) => row.or([row('leased_until', 'is', null), row('leased_until', '<=', now)]));
  const taken = await tx.selectFrom(waiting.as('waiting')).selectAll().orderBy('place').limit(max).execute();
  const runs: TestRun[] = [];
  for (const { account_id, id } of taken) {
    const row = await tx
      .updateTable('test_runs')
      .set((row) => ({
        leased_by: owner,
        leased_until: now + leaseMs,
        started_at: row.fn.coalesce('started_at', row.val(now)),
      }))
      .where('account_id', '=', account_id)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined || !isOpen(row)) continue;
    const run = testRunOf(row, seal);
    // A run whose process died has started already.
    if (row.started_at === now && row.attempt === 1) {
      const event = { runId: run.id, kind: 'run-start', attempt: 1, resultId: null, finding: null } as const;
      await appendTestEvent(tx, run, { ...event, createdAt: now }, seal);
    }
    runs.push(run);
  }
  return runs;
}

function isOpen(row: TestRunsTable): row is TestRunsTable & { readonly definition: string } {
  return row.definition !== null;
}

async function endAttempt(
  tx: Db,
  { accountId, id }: Pick<TestRun, 'accountId' | 'id'>,
  owner: string,
  finding: Finding,
  now: number,
  seal: Seal,
): Promise<void> {
  const row = await tx
    .updateTable('test_runs')
    .set({ leased_by: null, leased_until: null })
    .where('account_id', '=', idBytes(accountId))
    .where('id', '=', idBytes(id))
    .where('leased_by', '=', owner)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined || !isOpen(row)) return;
  const run = testRunOf(row, seal);
  const { verdict, reason, startedAt, stoppedAt } = finding;
  const { attempt } = row;
  const retryAt =
    verdict === 'failed'
      ? runRetryAt(run.retryStrategy, attempt, stoppedAt, row.started_at ?? startedAt, reason)
      : null;
  const next =
    retryAt === null
      ? { ended_at: now, outcome: verdict, definition: null }
      : { attempt: attempt + 1, available_at: retryAt };
  await tx
    .updateTable('test_runs')
    .set(next)
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .execute();
  const isFinal = retryAt === null;
  await appendTestEvent(
    tx,
    run,
    {
      runId: idText(row.id),
      kind: isFinal ? 'result' : 'attempt',
      attempt,
      resultId: isFinal ? idText(row.id) : newId(),
      finding,
      createdAt: now,
    },
    seal,
    isFinal ? { ended: 1, failed: failures(verdict) } : undefined,
  );
}
