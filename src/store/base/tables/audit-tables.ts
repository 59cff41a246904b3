// The table of the audit log. Rows are only added, and deleted after their retention.
import type { IdBytes } from '../codec.ts';

export interface AuditLogTable {
  account_id: IdBytes;
  id: IdBytes;
  at: number;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string | null;
  address: string | null;
  request_id: string | null;
  operation: string;
  via: string | null;
  resource: string | null;
  resource_id: string | null;
  resource_name: string | null;
  /** JSON. */
  changes: string;
  count: number;
}

export interface AuditTables {
  audit_log: AuditLogTable;
}
