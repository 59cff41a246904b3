// How a run stands in its row, and what a claim of runs asks and gets.
import type { Run } from '#domain/run.ts';
import { idText, idTextOrNull } from './codec.ts';
import { sourceCodes } from './codes.ts';
import type { RunsTable } from './schema.ts';

/** Whose leases, how long, and how many. Instants are epoch ms. */
export interface RunClaim {
  readonly location: string;
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly most: number;
}

/** Runs taken for this owner, oldest due first. */
export interface ClaimedRuns {
  readonly runs: readonly Run[];
  /** When the next one may be taken, epoch ms; null when none waits. */
  readonly nextAvailableAt: number | null;
}

export function runOf(row: Omit<RunsTable, 'available_at' | 'leased_by'>): Run {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    checkId: idText(row.check_id),
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
