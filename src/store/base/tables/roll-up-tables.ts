// The tables of roll-ups and their columns; the others stand in schema.ts.
import type { IdBytes } from '../codec.ts';

/** What a span came to, by check and location. */
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
  /** Encoded; null of none. */
  responses: Uint8Array | null;
  failed_responses: Uint8Array | null;
  /** Encoded; null = not known: made by a version that did not keep it. */
  by_status: Uint8Array | null;
  /** The same of the phases of responses. */
  phases: Uint8Array | null;
  /** Rows of results with an outcome that counts, those of `missed_stretches` left out; null = not known, as above. */
  final_results: number | null;
}

/** Stretches of missed slots that reach beyond the hour in which they begin: roll-ups leave them out. */
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

/** Hours of a check with results that came after the hour was, or may have been, rolled up: to be rolled up anew. */
export interface LateHoursTable {
  account_id: IdBytes;
  check_id: IdBytes;
  start_at: number;
  /** Counts them, so that one that comes meanwhile is not forgotten. */
  touched: number;
}

export interface RollUpTables {
  roll_ups: RollUpsTable;
  missed_stretches: MissedStretchesTable;
  late_hours: LateHoursTable;
}
