// Runs that wait: the statements of the step `run-checks`. A lease is the run's next available time.
import type { Run } from '#domain/run.ts';
import { idBytes } from '../codec.ts';
import { type ClaimedRuns, type RunClaim, runOf } from '../run-rows.ts';
import type { RunsTable } from '../schema.ts';
import type { Connection } from './connection.ts';

/** Takes runs that are available, for `leaseMs`: their start is recorded before they start. */
export function claimRuns(connection: Connection, claim: RunClaim): ClaimedRuns {
  const rows = connection
    .prepare('SELECT * FROM runs WHERE location = ? AND available_at <= ? ORDER BY available_at LIMIT ?')
    .all(claim.location, claim.now, claim.most) as unknown as RunsTable[];
  const lease = connection.prepare(
    `UPDATE runs SET available_at = ?, leased_by = ?, first_started_at = coalesce(first_started_at, ?)
     WHERE account_id = ? AND id = ?`,
  );
  for (const row of rows) lease.run(claim.now + claim.leaseMs, claim.owner, claim.now, row.account_id, row.id);
  const next = connection
    .prepare('SELECT available_at AS at FROM runs WHERE location = ? ORDER BY available_at LIMIT 1')
    .get(claim.location);
  return { runs: rows.map(runOf), nextAvailableAt: next === undefined ? null : Number(next['at']) };
}

/** Keeps the leases on runs that are still under way. */
export function renewRuns(
  connection: Connection,
  runs: readonly Pick<Run, 'accountId' | 'id'>[],
  { owner, now, leaseMs }: Pick<RunClaim, 'owner' | 'now' | 'leaseMs'>,
): void {
  const renew = connection.prepare(
    'UPDATE runs SET available_at = ? WHERE account_id = ? AND id = ? AND leased_by = ?',
  );
  for (const run of runs) renew.run(now + leaseMs, idBytes(run.accountId), idBytes(run.id), owner);
}

/** Gives runs back that were taken but not started, so that another process may take them at once. */
export function returnRuns(
  connection: Connection,
  runs: readonly Pick<Run, 'accountId' | 'id'>[],
  owner: string,
): void {
  const giveBack = connection.prepare(
    'UPDATE runs SET available_at = due_at, leased_by = NULL WHERE account_id = ? AND id = ? AND leased_by = ?',
  );
  for (const run of runs) giveBack.run(idBytes(run.accountId), idBytes(run.id), owner);
}

/** Every lease of an owner that is known to be dead ends now. With `owner` null: of all owners, when one owns the file. */
export function endLeases(connection: Connection, now: number): void {
  connection
    .prepare('UPDATE runs SET available_at = min(due_at, ?), leased_by = NULL WHERE leased_by IS NOT NULL')
    .run(now);
}
