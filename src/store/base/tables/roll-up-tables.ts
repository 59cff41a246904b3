// Tables of roll-ups; the others are in schema.ts.
import type { IdBytes } from '../codec.ts';

/** Results of a time range, by check and location. */
export interface RollUpsTable {
  account_id: IdBytes;
  check_id: IdBytes;
  /** 0 = an hour, 1 = a UTC day. */
  span: number;
  start_at: number;
  location: string;
  passed: number;
  degraded: number;
  failed: number;
  unknown: number;
  missed: number;
  retries: number;
  known_ms: number;
  down_ms: number;
  unknown_ms: number;
  /** Encoded; null if there are none. */
  responses: Uint8Array | null;
  failed_responses: Uint8Array | null;
  /** Encoded; null = unknown: written by a version that did not store it. */
  by_status: Uint8Array | null;
  /** The same for phases of responses. */
  phases: Uint8Array | null;
  /** Number of results with a counted outcome, without those in `missed_stretches`; null = unknown, as above. */
  final_results: number | null;
}

/** Consecutive missed slots that extend beyond the hour of the first; not part of roll-ups. */
export interface MissedStretchesTable {
  account_id: IdBytes;
  check_id: IdBytes;
  result_id: IdBytes;
  location: string;
  slot_at: number;
  slots: number;
  interval_ms: number;
  end_at: number;
}

/**
 * Hours of a check with results that arrived after the hour was, or may have been, rolled up: they are rolled up again.
 */
export interface LateHoursTable {
  account_id: IdBytes;
  check_id: IdBytes;
  start_at: number;
  /** Counts such results, so that one that arrives meanwhile is not lost. */
  touched: number;
}

export interface RollUpTables {
  roll_ups: RollUpsTable;
  missed_stretches: MissedStretchesTable;
  late_hours: LateHoursTable;
}
