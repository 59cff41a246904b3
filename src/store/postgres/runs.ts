// Runs that wait, in PostgreSQL: claimed by SKIP LOCKED, so that processes take different ones without waiting.
import type { Run } from '#domain/run.ts';
import { idBytes } from '../codec.ts';
import { type ClaimedRuns, type RunClaim, runOf } from '../run-rows.ts';
import type { RunsTable } from '../schema.ts';
import { inPairs } from './bulk.ts';
import type { Session } from './connections.ts';

type OwnedId = Pick<Run, 'accountId' | 'id'>;

/** The keys of runs as two arrays. */
export function keysOf(runs: readonly OwnedId[]): [Uint8Array[], Uint8Array[]] {
  return [runs.map((run) => idBytes(run.accountId)), runs.map((run) => idBytes(run.id))];
}

/** Takes runs that are available, for `leaseMs`: their start is recorded before they start. */
export async function claimRuns(session: Session, claim: RunClaim): Promise<ClaimedRuns> {
  const rows = await session.query<RunsTable>(
    `SELECT * FROM runs WHERE location = $1 AND available_at <= $2 ORDER BY available_at LIMIT $3
     FOR UPDATE SKIP LOCKED`,
    [claim.location, claim.now, claim.most],
  );
  if (rows.length > 0) {
    await session.query(
      `UPDATE runs SET available_at = $3, leased_by = $4, first_started_at = coalesce(first_started_at, $5)
       WHERE ${inPairs('(account_id, id)', 1)}`,
      [rows.map((row) => row.account_id), rows.map((row) => row.id), claim.now + claim.leaseMs, claim.owner, claim.now],
    );
  }
  const [next] = await session.query<{ at: number }>(
    'SELECT available_at AS at FROM runs WHERE location = $1 ORDER BY available_at LIMIT 1',
    [claim.location],
  );
  return { runs: rows.map(runOf), nextAvailableAt: next?.at ?? null };
}

/** Keeps the leases on runs that are still under way. */
export async function renewRuns(
  session: Session,
  runs: readonly OwnedId[],
  { owner, now, leaseMs }: Pick<RunClaim, 'owner' | 'now' | 'leaseMs'>,
): Promise<void> {
  await session.query(`UPDATE runs SET available_at = $3 WHERE ${inPairs('(account_id, id)', 1)} AND leased_by = $4`, [
    ...keysOf(runs),
    now + leaseMs,
    owner,
  ]);
}

/** Gives runs back that were taken but not started, so that another process may take them at once. */
export async function returnRuns(session: Session, runs: readonly OwnedId[], owner: string): Promise<void> {
  await session.query(
    `UPDATE runs SET available_at = due_at, leased_by = NULL
     WHERE ${inPairs('(account_id, id)', 1)} AND leased_by = $3`,
    [...keysOf(runs), owner],
  );
}
