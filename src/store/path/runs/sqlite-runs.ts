// Waiting runs: statements of the step `run-checks`. A lease is the run's next available time.
import type { Run, RunClaim } from '#domain/checks/run.ts';
import { idBytes } from '../../base/codec.ts';
import { type ClaimedRuns, inTurn, runOf, type RunRow } from './run-rows.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';

/** Claims available runs for `leaseMs`: their start is recorded before they start. */
export function claimRuns(connection: Connection, claim: RunClaim): ClaimedRuns {
  const { location, owner, now, leaseMs, max, without = [], isBacklog = false } = claim;
  const left = without.map(idBytes);
  const free = isBacklog ? fairRuns(left.length) : freeRuns(left.length);
  const rows = connection.select<RunRow>(`SELECT ${columns} ${free}`)(location, now, max, ...left);
  // Selects the same rows again: nothing is written between the two, and one statement costs a third of one per run.
  if (rows.length > 0)
    connection
      .prepare(
        `UPDATE runs SET available_at = ?${left.length + 4}, leased_by = ?${left.length + 5}, first_started_at = coalesce(first_started_at, ?2)
         WHERE (account_id, id) IN (SELECT account_id, id ${free})`,
      )
      .run(location, now, max, ...left, now + leaseMs, owner);
  const next = connection
    .prepare(
      `SELECT available_at AS at FROM runs WHERE location = ?1 ${others(left.length, 2)} ORDER BY available_at LIMIT 1`,
    )
    .get(location, ...left);
  return { runs: rows.map(runOf), nextAvailableAt: next === undefined ? null : Number(next['at']) };
}

/** Concatenated values are read as text of the same bytes. */
const columns = `CAST(account_id || id || check_id AS BLOB) AS ids, location, source, slot_at, interval_ms, attempt, due_at,
  first_started_at, batch_id`;

/** Available runs, those available for the longest time first, with a stable order for equal times. */
function freeRuns(without: number): string {
  return `FROM runs WHERE location = ?1 AND available_at <= ?2 ${others(without, 4)} ORDER BY available_at, account_id, id LIMIT ?3`;
}

/** The same in a backlog. */
function fairRuns(without: number): string {
  const found = `SELECT account_id, id, available_at AS at, source FROM runs
    WHERE location = ?1 AND available_at <= ?2 ${others(without, 4)} ORDER BY available_at, account_id, id`;
  return `FROM runs WHERE (account_id, id) IN (${inTurn('account_id, id', found)} LIMIT ?3)`;
}

/** Condition that excludes accounts, whose IDs are bound from that position on. */
function others(without: number, from: number): string {
  const places = Array.from({ length: without }, (_, index) => `?${from + index}`);
  return without === 0 ? '' : `AND account_id NOT IN (${places.join(', ')})`;
}

/** Renews the leases of runs in progress. */
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

/** Releases runs that were claimed but not started, so that another process can claim them at once. */
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

/**
 * Ends every lease of an owner that is known to be dead. With `owner` null: of all owners, if one process owns the
 * file.
 */
export function endLeases(connection: Connection, now: number): void {
  connection
    .prepare('UPDATE runs SET available_at = min(due_at, ?), leased_by = NULL WHERE leased_by IS NOT NULL')
    .run(now);
}
