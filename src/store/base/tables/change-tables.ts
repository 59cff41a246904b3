// Tables of changes to many checks.
import type { IdBytes } from '../codec.ts';

export interface CheckChangesTable {
  account_id: IdBytes;
  id: IdBytes;
  /** What it sets, JSON; null = it deletes the checks, or undoes another change. */
  edit: string | null;
  undo_of: IdBytes | null;
  /** Who started it, JSON: the audit log names the same in every part. */
  acting: string | null;
  checks: number;
  parts: number;
  parts_done: number;
  changed: number;
  unchanged: number;
  refused: number;
  /** Process that applies it; null = it waits. */
  leased_by: string | null;
  leased_until: number | null;
  created_at: number;
  ended_at: number | null;
}

/** Some checks of a change, which one transaction changes. Lists are JSON. */
export interface CheckChangePartsTable {
  account_id: IdBytes;
  change_id: IdBytes;
  position: number;
  check_ids: string;
  /** Changed checks with their previous values; null = not applied yet, or of an undo. */
  changed: string | null;
  /** Refused checks with the reasons; null = none. */
  refused: string | null;
}

export interface ChangeTables {
  check_changes: CheckChangesTable;
  check_change_parts: CheckChangePartsTable;
}
