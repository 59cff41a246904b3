// Runs that wait: the statements of the step `run-checks`. A lease is the run's next available time.
import type { Run } from '#domain/checks/run.ts';
import { idBytes } from '../../base/codec.ts';
import { sourceCodes } from '../../base/codes.ts';
import { backlogLookedAt, type ClaimedRuns, type RunClaim, runOf, type RunRow } from './run-rows.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';

/** Takes runs that are available, for `leaseMs`: their start is recorded before they start. */
export function claimRuns(connection: Connection, claim: RunClaim): ClaimedRuns {
  const { location, owner, now, leaseMs, most, without = [], isBacklog = false } = claim;
  const left = without.map(idBytes);
  const free = isBacklog ? fairRuns(left.length) : freeRuns(left.length);
  const rows = connection.select<RunRow>(`SELECT ${columns} ${free}`)(location, now, most, ...left);
  // The same rows once more: nobody writes between the two, and one statement costs a third of one for each run.
  if (rows.length > 0)
    connection
      .prepare(
        `UPDATE runs SET available_at = ?${left.length + 4}, leased_by = ?${left.length + 5}, first_started_at = coalesce(first_started_at, ?2)
         WHERE (account_id, id) IN (SELECT account_id, id ${free})`,
      )
      .run(location, now, most, ...left, now + leaseMs, owner);
  const next = connection
    .prepare(
      `SELECT available_at AS at FROM runs WHERE location = ?1 ${others(left.length, 2)} ORDER BY available_at LIMIT 1`,
    )
    .get(location, ...left);
  return { runs: rows.map(runOf), nextAvailableAt: next === undefined ? null : Number(next['at']) };
}

/** What is joined comes as text, of the same bytes. */
const columns = `CAST(account_id || id || check_id AS BLOB) AS ids, location, source, slot_at, interval_ms, attempt, due_at,
  first_started_at, batch_id`;

/** Runs that are available, those first that have been for longest; of those that came together the same at each look. */
function freeRuns(without: number): string {
  return `FROM runs WHERE location = ?1 AND available_at <= ?2 ${others(without, 4)} ORDER BY available_at, account_id, id LIMIT ?3`;
}

/** The same in a backlog: one of each account in turn, and only then those that were asked for. */
function fairRuns(without: number): string {
  return `FROM runs WHERE (account_id, id) IN (SELECT account_id, id FROM (
      SELECT account_id, id, available_at, source = ${triggered} AS is_triggered,
        row_number() OVER (PARTITION BY account_id, source = ${triggered} ORDER BY available_at, id) AS place
      FROM (SELECT account_id, id, available_at, source FROM runs
        WHERE location = ?1 AND available_at <= ?2 ${others(without, 4)} ORDER BY available_at, account_id, id LIMIT ${backlogLookedAt}))
    ORDER BY is_triggered, place, available_at, account_id, id LIMIT ?3)`;
}

const triggered = sourceCodes.encode('TRIGGER_API');

/** The condition that leaves accounts out, whose ids are bound from that place on. */
function others(without: number, from: number): string {
  const places = Array.from({ length: without }, (_, index) => `?${from + index}`);
  return without === 0 ? '' : `AND account_id NOT IN (${places.join(', ')})`;
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
