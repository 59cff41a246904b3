// Tables of counters per account.
import type { Generated } from 'kysely';
import type { IdBytes } from '../codec.ts';

/**
 * Runs by outcome, alerts and deliveries per account and UTC hour, for consistency checks, the ledger and usage
 * (docs/decisions/0149).
 */
export interface AccountCountsTable {
  account_id: IdBytes;
  /** Hours since 1970; 0 = the sum of all hours that are no longer stored one by one. */
  hour: number;
  /** Slots that were planned. */
  scheduled: number;
  on_demand: number;
  passed: number;
  degraded: number;
  failed: number;
  unknown: number;
  missed: number;
  /** Of the missed ones, those above the execution limit of the account or in maintenance. */
  limited: Generated<number>;
  /** Of the unknown ones, those caused by settings of the check. */
  misconfigured: Generated<number>;
  /** Alerts that were added. */
  alerts: Generated<number>;
  /** Alerts that were not raised because of a mute or maintenance. */
  muted: Generated<number>;
  /** Deliveries that were added. */
  deliveries: Generated<number>;
}

/** Runs that count toward the execution limit, per account and UTC month. */
export interface UsageTable {
  account_id: IdBytes;
  month: number;
  used: number;
}

export interface CountTables {
  account_counts: AccountCountsTable;
  usage: UsageTable;
}
