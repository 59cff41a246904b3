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

/** Answers given to calls that carried an idempotency key; kept for 24 h. */
export interface IdempotencyKeysTable {
  account_id: IdBytes;
  key: string;
  operation: string;
  answer: string;
  created_at: number;
}

/** What a call of a trigger asked for, while its runs may need it; no row = nothing special. */
export interface TriggerCallsTable {
  account_id: IdBytes;
  /** That of the batch. */
  id: IdBytes;
  called_at: number;
  is_quiet: Flag;
  /** Pairs of key and sealed value, JSON. */
  variables: string;
}

export interface TriggerTables {
  triggers: TriggersTable;
  trigger_calls: TriggerCallsTable;
  idempotency_keys: IdempotencyKeysTable;
}
