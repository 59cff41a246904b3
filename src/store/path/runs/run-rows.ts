// How a run stands in its row, and what a claim of runs asks and gets.
import type { Run } from '#domain/checks/run.ts';
import { type IdBytes, idText, idTextOrNull } from '../../base/codec.ts';
import { sourceCodes } from '../../base/codes.ts';
import type { RunsTable } from '../../base/tables/schema.ts';

/** Whose leases, how long, and how many. Instants are epoch ms. */
export interface RunClaim {
  readonly location: string;
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly most: number;
  /** Accounts of which nothing is taken; none by default. */
  readonly without?: readonly string[];
  /** Whether more wait than one claim takes: then the accounts take turns, and runs that were asked for come last. */
  readonly isBacklog?: boolean;
}

/** In a backlog accounts take turns among so many runs, those that are available for longest. */
export const backlogLookedAt = 10_000;

/** Runs taken for this owner, oldest due first. */
export interface ClaimedRuns {
  readonly runs: readonly Run[];
  /** When the next one may be taken, epoch ms; null when none waits. */
  readonly nextAvailableAt: number | null;
}

/** Bytes of an id. */
export const idLength = 16;

/** What of a row becomes a run. */
export type RunRow = Pick<
  RunsTable,
  'location' | 'source' | 'slot_at' | 'interval_ms' | 'attempt' | 'due_at' | 'first_started_at' | 'batch_id'
> & {
  /** Of the account, the run and the check, one behind the other: a value of bytes is slow to read. */
  readonly ids: IdBytes;
};

export function runOf(row: RunRow): Run {
  return {
    accountId: idText(row.ids),
    id: idText(row.ids, idLength),
    checkId: idText(row.ids, 2 * idLength),
    location: row.location,
    source: sourceCodes.decode(row.source),
    slotAt: row.slot_at,
    intervalMs: row.interval_ms,
    attempt: row.attempt,
    dueAt: row.due_at,
    firstStartedAt: row.first_started_at,
    batchId: idTextOrNull(row.batch_id),
  };
}
