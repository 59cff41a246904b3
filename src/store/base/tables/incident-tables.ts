// Incidents of checks.
import type { IdBytes } from '../codec.ts';

/** A check from its first alert to its recovery or deletion. */
export interface IncidentsTable {
  account_id: IdBytes;
  id: IdBytes;
  check_id: IdBytes;
  check_name: string;
  check_type: string;
  /** Worst state that was alerted: failing or degraded. */
  kind: string;
  /** When the state began. */
  started_at: number;
  /** When the first alert was raised. */
  opened_at: number;
  /** null = open. */
  ended_at: number | null;
  /** recovery or deletion. */
  ended_by: string | null;
  acknowledged_at: number | null;
  /** JSON. */
  acknowledged_by: string | null;
  first_alert_id: IdBytes;
  /** The result that opened it. */
  result_id: IdBytes;
}

export interface IncidentTables {
  incidents: IncidentsTable;
}
