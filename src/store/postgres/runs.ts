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
  const [rows, [next]] = await Promise.all([
    session.query<RunsTable>(
      // Answers with the rows as they were found.
      `WITH free AS (
         SELECT * FROM runs WHERE location = $1 AND available_at <= $2
         ORDER BY available_at LIMIT $3 FOR UPDATE SKIP LOCKED)
       UPDATE runs r SET available_at = $4, leased_by = $5, first_started_at = coalesce(r.first_started_at, $2)
       FROM free WHERE r.account_id = free.account_id AND r.id = free.id RETURNING free.*`,
      [claim.location, claim.now, claim.most, claim.now + claim.leaseMs, claim.owner],
    ),
    session.query<{ at: number }>(
      'SELECT available_at AS at FROM runs WHERE location = $1 AND available_at > $2 ORDER BY available_at LIMIT 1',
      [claim.location, claim.now],
    ),
  ]);
  rows.sort((a, b) => a.available_at - b.available_at);
  return { runs: rows.map(runOf), nextAvailableAt: rows.length === claim.most ? claim.now : (next?.at ?? null) };
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
