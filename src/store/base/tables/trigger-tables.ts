// The tables of triggers and their calls.
import type { Flag, IdBytes } from '../codec.ts';

export interface TriggersTable {
  account_id: IdBytes;
  id: number;
  token: string;
  group_id: number | null;
  check_id: IdBytes | null;
  created_at: number;
  called_at: number | null;
  updated_at: number | null;
}

/** Responses to calls with an idempotency key; stored for 24 h. */
export interface IdempotencyKeysTable {
  account_id: IdBytes;
  key: string;
  operation: string;
  answer: string;
  created_at: number;
}

/** Options of a trigger call while its runs may need them; no row = none. */
export interface TriggerCallsTable {
  account_id: IdBytes;
  /** ID of the batch. */
  id: IdBytes;
  called_at: number;
  is_quiet: Flag;
  /** Pairs of key and encrypted value, JSON. */
  variables: string;
}

export interface TriggerTables {
  triggers: TriggersTable;
  trigger_calls: TriggerCallsTable;
  idempotency_keys: IdempotencyKeysTable;
}
