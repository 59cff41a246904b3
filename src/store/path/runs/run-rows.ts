// Maps runs to rows; input and output of a claim of runs.
import type { Run } from '#domain/checks/run.ts';
import { type IdBytes, idText, idTextOrNull } from '../../base/codec.ts';
import { sourceCodes } from '../../base/codes.ts';
import type { RunsTable } from '../../base/tables/schema.ts';

/** In a backlog, accounts take turns among this many runs, those available for the longest time. */
const backlogScanned = 10_000;
const triggered = sourceCodes.encode('TRIGGER_API');

/**
 * The order of claims in a backlog: one run of each account in turn, and triggered runs last. A LIMIT may follow.
 * @param key columns that name a run
 * @param found a SELECT in the order of `at`, with `key`, `account_id`, `id`, `at` and `source`
 */
export function inTurn(key: string, found: string): string {
  const isTriggered = `source = ${triggered}`;
  return `SELECT ${key} FROM (
      SELECT ${key}, at, ${isTriggered} AS is_triggered,
        row_number() OVER (PARTITION BY account_id, ${isTriggered} ORDER BY at, id) AS place
      FROM (${found} LIMIT ${backlogScanned}) f) t
    ORDER BY is_triggered, place, at, ${key}`;
}

/** Claimed runs, those due for the longest time first. */
export interface ClaimedRuns {
  readonly runs: readonly Run[];
  /** When the next one is available, epoch ms; null if none waits. */
  readonly nextAvailableAt: number | null;
}

/** Bytes of an ID. */
export const idLength = 16;

/** Columns of a run. */
export type RunRow = Pick<
  RunsTable,
  'location' | 'source' | 'slot_at' | 'interval_ms' | 'attempt' | 'due_at' | 'first_started_at' | 'batch_id'
> & {
  /** Concatenated IDs of account, run and check: reading a byte value is slow. */
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
