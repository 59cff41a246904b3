// Runs that wait, in PostgreSQL: claimed by SKIP LOCKED, so that processes take different ones without waiting.
import type { Run } from '#domain/run.ts';
import { type IdBytes, idBytes, idText, idTextOrNull } from '../codec.ts';
import { sourceCodes } from '../codes.ts';
import { type ClaimedRuns, idLength, type RunClaim } from '../run-rows.ts';
import { inPairs } from './bulk.ts';
import type { Session } from './session.ts';
import { isTheTimeAt } from './the-time.ts';

type OwnedId = Pick<Run, 'accountId' | 'id'>;

/** The keys of runs as two arrays. */
export function keysOf(runs: readonly OwnedId[]): [Uint8Array[], Uint8Array[]] {
  return [runs.map((run) => idBytes(run.accountId)), runs.map((run) => idBytes(run.id))];
}

/** What a claim took, and how the accounts stood when it did. */
export interface TakenRuns extends ClaimedRuns {
  /** Counters of changes, by account. */
  readonly revisions: ReadonlyMap<string, number>;
  /** false = it is another time at the database: nothing was taken. */
  readonly isRightTime: boolean;
}

/** How a claim looks for its runs. */
export interface Look {
  /** Due from this instant on, epoch ms. */
  readonly from: number;
  /** Whether nothing is taken when it is another time at the database. */
  readonly asksTime: boolean;
}

/**
 * Takes runs that are available, for `leaseMs`: their start is recorded before they start. One journey with the begin and
 * the end of its transaction: that it is the database's time is a condition of taking, and not asked before.
 */
export async function claimRuns(session: Session, claim: RunClaim, { from, asksTime }: Look): Promise<TakenRuns> {
  const { location, owner, now, leaseMs, most } = claim;
  const isTime = (value: string): string => (asksTime ? isTheTimeAt(value) : 'true');
  const groups = session.query<Group>(takeSql(isTime('$3')), [location, from, now, most, now + leaseMs, owner]);
  const rests = session.query<{ at: number | null; is_right: boolean }>(
    // Leases that run out are found once a second, when everything is looked at.
    `SELECT ${isTime('$2')} AS is_right, (SELECT due_at FROM runs WHERE location = $1 AND due_at > $2 ORDER BY due_at LIMIT 1) AS at`,
    [location, now],
  );
  session.commit();
  const [taken, [rest]] = await Promise.all([groups, rests]);
  const runs = taken.flatMap((group) => runsOf(group, claim)).sort((a, b) => a.dueAt - b.dueAt);
  return {
    runs,
    nextAvailableAt: runs.length === most ? now : (rest?.at ?? null),
    revisions: new Map(taken.map(({ account_id, revision }) => [idText(account_id), revision ?? 0])),
    isRightTime: rest?.is_right ?? false,
  };
}

/**
 * Runs of an account that have a cause in common: one row of lists instead of one for each run, which are slow to write
 * there and to read here. `ids` are those of each run and its check, one behind the other.
 */
interface Group {
  readonly account_id: IdBytes;
  readonly revision: number | null;
  readonly source: number;
  readonly batch_id: IdBytes | null;
  readonly ids: IdBytes;
  readonly slots: (number | null)[];
  readonly intervals: (number | null)[];
  readonly attempts: number[];
  readonly dues: number[];
  readonly starts: number[];
}

/** Held rows stay where they are: they are changed by their places. */
const takeSql = (isTime: string): string => `
  WITH taken AS (
    UPDATE runs SET available_at = $5, leased_by = $6, first_started_at = coalesce(first_started_at, $3)
    WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM runs
      WHERE location = $1 AND due_at >= $2 AND due_at <= $3 AND available_at <= $3 AND ${isTime}
      ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED))
    RETURNING account_id, id, check_id, source, slot_at, interval_ms, attempt, due_at, batch_id, first_started_at)
  SELECT account_id, source, batch_id, string_agg(id || check_id, '') AS ids, array_agg(slot_at) AS slots,
    array_agg(interval_ms) AS intervals, array_agg(attempt) AS attempts, array_agg(due_at) AS dues,
    array_agg(first_started_at) AS starts,
    (SELECT last FROM counters c WHERE c.account_id = taken.account_id AND c.noun = 'revision') AS revision
  FROM taken GROUP BY account_id, source, batch_id`;

function runsOf(group: Group, { location, now }: RunClaim): Run[] {
  const accountId = idText(group.account_id);
  const batchId = idTextOrNull(group.batch_id);
  const source = sourceCodes.decode(group.source);
  return group.attempts.map((attempt, index) => {
    const at = index * 2 * idLength;
    const startedAt = group.starts[index] ?? now;
    return {
      accountId,
      id: idText(group.ids, at),
      checkId: idText(group.ids, at + idLength),
      location,
      source,
      slotAt: group.slots[index] ?? null,
      intervalMs: group.intervals[index] ?? null,
      attempt,
      dueAt: group.dues[index] ?? 0,
      // Those that had not begun before begin now.
      firstStartedAt: startedAt === now ? null : startedAt,
      batchId,
    };
  });
}

/**
 * Keeps the leases on runs that are still under way. What is being recorded needs none any more: to wait for it would hold up the
 * claims behind this, and two that wait for each other's rows would be ended by the server, after a second.
 */
export async function renewRuns(
  session: Session,
  runs: readonly OwnedId[],
  { owner, now, leaseMs }: Pick<RunClaim, 'owner' | 'now' | 'leaseMs'>,
): Promise<void> {
  await session.query(
    `WITH mine AS (SELECT account_id, id FROM runs
       WHERE ${inPairs('(account_id, id)', 1)} AND leased_by = $4 FOR UPDATE SKIP LOCKED)
     UPDATE runs r SET available_at = $3 FROM mine m WHERE r.account_id = m.account_id AND r.id = m.id`,
    [...keysOf(runs), now + leaseMs, owner],
  );
}

/** Gives runs back that were taken but not started, so that another process may take them at once. */
export async function returnRuns(session: Session, runs: readonly OwnedId[], owner: string): Promise<void> {
  await session.query(
    `UPDATE runs SET available_at = due_at, leased_by = NULL
     WHERE ${inPairs('(account_id, id)', 1)} AND leased_by = $3`,
    [...keysOf(runs), owner],
  );
}
