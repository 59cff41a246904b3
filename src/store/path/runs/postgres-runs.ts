// Waiting runs in PostgreSQL: claimed with SKIP LOCKED, so that processes claim different ones without waiting.
import type { Run, RunClaim } from '#domain/checks/run.ts';
import { idBytes, idText } from '../../base/codec.ts';
import { type ClaimedRuns, inTurn, runOf, type RunRow } from './run-rows.ts';
import { inPairs } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';
import { isTheTimeAt } from '../../engines/postgres/the-time.ts';

type OwnedId = Pick<Run, 'accountId' | 'id'>;

/** The keys of runs as two arrays. */
export function keysOf(runs: readonly OwnedId[]): [Uint8Array[], Uint8Array[]] {
  return [runs.map((run) => idBytes(run.accountId)), runs.map((run) => idBytes(run.id))];
}

/** Result of a claim, with the revisions of the accounts at that time. */
export interface TakenRuns extends ClaimedRuns {
  /** Revisions by account; a missing one is 0. */
  readonly revisions: ReadonlyMap<string, number>;
  /** false = the database's time differs: nothing was claimed. */
  readonly isRightTime: boolean;
  /** Runs to release: another process has a run of their check at their location. */
  readonly behind: ReadonlySet<Run>;
}

/** Options of a claim. */
export interface Inspect {
  /** Only runs due from this time on, epoch ms. */
  readonly from: number;
  /** Whether nothing is claimed if the database's time differs. */
  readonly asksTime: boolean;
}

/**
 * Claims available runs for `leaseMs`: their start is recorded before they start. One round trip including the start
 * and end of its transaction: the database's time is a condition of the claim, and not asked before.
 */
export async function claimRuns(session: Session, claim: RunClaim, { from, asksTime }: Inspect): Promise<TakenRuns> {
  const { location, owner, now, leaseMs, max, without = [], isBacklog = false } = claim;
  const isTime = (value: string): string => (asksTime ? isTheTimeAt(value) : 'true');
  const isLeftOut = without.length > 0;
  const taken = session.query<TakenRow>(takeSql(isTime('$3'), isLeftOut, isBacklog), [
    location,
    from,
    now,
    max,
    now + leaseMs,
    owner,
    ...(isLeftOut ? [without.map(idBytes)] : []),
  ]);
  const rests = session.query<{ at: number | null; is_right: boolean }>(
    // Expired leases are found once a second, by the complete scan.
    `SELECT ${isTime('$2')} AS is_right, (SELECT due_at FROM runs WHERE location = $1 AND due_at > $2 ORDER BY due_at LIMIT 1) AS at`,
    [location, now],
  );
  session.commit();
  const [rows, [rest]] = await Promise.all([taken, rests]);
  const runs = rows.map((row) => takenOf(row, now));
  const behind = rows.flatMap(({ is_behind }, index) => (is_behind ? (runs[index] ?? []) : []));
  return {
    runs: runs.toSorted((a, b) => a.dueAt - b.dueAt),
    behind: new Set(behind),
    nextAvailableAt: runs.length === max ? now : (rest?.at ?? null),
    revisions: new Map(rows.map(({ ids, revision }) => [idText(ids), revision])),
    isRightTime: rest?.is_right ?? false,
  };
}

/** A claimed run. */
type TakenRow = RunRow & {
  readonly held_back: number;
  /** Another process had a run of its check before this claim. */
  readonly is_behind: boolean;
  /** Revision of its account. */
  readonly revision: number;
};

/** Runs that may overlap with others of their check, as in the index `runs_that_may_overlap`. */
const mayOverlap = (run: string): string => `(${run}.source <> 0 OR ${run}.interval_ms < 60000)`;

/** Locked rows do not move, so they are updated by their physical location. */
const takeSql = (isTime: string, isLeftOut: boolean, isBacklog: boolean): string => `
  WITH taken AS (
    UPDATE runs SET available_at = $5, leased_by = $6, first_started_at = coalesce(first_started_at, $3)
    WHERE ctid = ANY(ARRAY(${isBacklog ? fairSql(isTime, isLeftOut) : freeSql(isTime, isLeftOut)}))
    RETURNING account_id, id, check_id, location, source, slot_at, interval_ms, attempt, due_at, batch_id, first_started_at, held_back)
  SELECT taken.account_id || taken.id || taken.check_id AS ids, location, source, slot_at, interval_ms, attempt, due_at, batch_id,
    first_started_at, held_back, coalesce(c.last, 0) AS revision,
    ${mayOverlap('taken')} AND EXISTS (SELECT FROM runs o
      WHERE ${mayOverlap('o')} AND o.check_id = taken.check_id AND o.account_id = taken.account_id AND o.location = $1
        AND o.leased_by <> $6 AND o.available_at > $3) AS is_behind
  FROM taken LEFT JOIN counters c ON c.account_id = taken.account_id AND c.noun = 'revision'`;

/** Available runs, those due for the longest time first. */
const availableSql = (isTime: string, isLeftOut: boolean): string => `
  FROM runs WHERE location = $1 AND due_at >= $2 AND due_at <= $3 AND available_at <= $3 AND ${isTime}
    ${isLeftOut ? 'AND NOT (account_id = ANY($7))' : ''} ORDER BY due_at`;

const freeSql = (isTime: string, isLeftOut: boolean): string =>
  `SELECT ctid ${availableSql(isTime, isLeftOut)} LIMIT $4 FOR UPDATE SKIP LOCKED`;

/** The same in a backlog. */
const fairSql = (isTime: string, isLeftOut: boolean): string => `
  SELECT ctid FROM runs WHERE available_at <= $3 AND ctid = ANY(ARRAY(${inTurn(
    'place_of',
    `SELECT ctid AS place_of, account_id, id, due_at AS at, source ${availableSql(isTime, isLeftOut)}`,
  )} LIMIT $4)) FOR UPDATE SKIP LOCKED`;

function takenOf(row: TakenRow, now: number): Run {
  return {
    ...runOf(row),
    // Sets the start of those that had not started.
    firstStartedAt: row.first_started_at === now ? null : row.first_started_at,
    ...(row.held_back === 1 && { wasHeldBack: true }),
  };
}

/**
 * Renews the leases of runs in progress. Runs being recorded need none: waiting for them would block later claims, and
 * two processes waiting for each other's rows would be ended by the server after a second.
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

/** Releases runs that were claimed but not started, so that another process can claim them at once. */
export async function returnRuns(session: Session, runs: readonly OwnedId[], owner: string): Promise<void> {
  await session.query(
    `UPDATE runs SET available_at = due_at, leased_by = NULL
     WHERE ${inPairs('(account_id, id)', 1)} AND leased_by = $3`,
    [...keysOf(runs), owner],
  );
}

/** Delay before a run is claimed again while another process has a run of its check, ms: first, and later. */
export const heldBackMs = 1000;
const heldBackAgainMs = 5000;

/** Releases runs that must wait for a run of their check in another process. */
export async function deferRuns(
  session: Session,
  runs: readonly OwnedId[],
  { owner, now }: Pick<RunClaim, 'owner' | 'now'>,
): Promise<void> {
  await session.query(
    `UPDATE runs SET available_at = CASE WHEN held_back = 1 THEN $4::bigint ELSE $5 END, leased_by = NULL,
       first_started_at = nullif(first_started_at, $6), held_back = 1
     WHERE ${inPairs('(account_id, id)', 1)} AND leased_by = $3`,
    [...keysOf(runs), owner, now + heldBackAgainMs, now + heldBackMs, now],
  );
}
