// Runs that wait, in PostgreSQL: claimed by SKIP LOCKED, so that processes take different ones without waiting.
import type { Run } from '#domain/run.ts';
import { idBytes } from '../codec.ts';
import { type ClaimedRuns, type RunClaim, runOf } from '../run-rows.ts';
import type { RunsTable } from '../schema.ts';
import { inPairs } from './bulk.ts';
import type { LookBack } from './look-back.ts';
import type { Session } from './session.ts';

type OwnedId = Pick<Run, 'accountId' | 'id'>;

/** What of a row becomes a run. */
type Row = Omit<RunsTable, 'available_at' | 'leased_by'>;

/** The keys of runs as two arrays. */
export function keysOf(runs: readonly OwnedId[]): [Uint8Array[], Uint8Array[]] {
  return [runs.map((run) => idBytes(run.accountId)), runs.map((run) => idBytes(run.id))];
}

/** Takes runs that are available, for `leaseMs`: their start is recorded before they start. */
export async function claimRuns(session: Session, claim: RunClaim, lookBack: LookBack): Promise<ClaimedRuns> {
  const { location, owner, now, leaseMs, most } = claim;
  const take = async (from: number): Promise<Row[]> => {
    // Answers with the rows as they were found.
    const rows = await session.query<Row>(
      `WITH free AS (
         SELECT ctid AS place, * FROM runs
         WHERE location = $1 AND due_at >= $2 AND due_at <= $3 AND available_at <= $3 ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED)
       UPDATE runs r SET available_at = $5, leased_by = $6, first_started_at = coalesce(r.first_started_at, $3)
       FROM free WHERE r.account_id = free.account_id AND r.ctid = free.place RETURNING ${columns}`,
      [location, from, now, most, now + leaseMs, owner],
    );
    return rows.sort((a, b) => a.due_at - b.due_at);
  };
  const [rows, [next]] = await Promise.all([
    lookBack.find(now, take, (row) => row.due_at),
    // Leases that run out are found once a second, when everything is looked at.
    session.query<{ at: number }>(
      'SELECT due_at AS at FROM runs WHERE location = $1 AND due_at > $2 ORDER BY due_at LIMIT 1',
      [location, now],
    ),
  ]);
  return { runs: rows.map(runOf), nextAvailableAt: rows.length === most ? now : (next?.at ?? null) };
}

const columns = 'account_id id check_id location source slot_at interval_ms attempt due_at first_started_at batch_id'
  .split(' ')
  .map((column) => `free.${column}`)
  .join(', ');

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
