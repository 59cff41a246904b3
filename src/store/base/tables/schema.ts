// All tables and columns. Times are epoch milliseconds; IDs are 16 bytes; every row of an account contains its ID.
import type { AuditTables } from './audit-tables.ts';
import type { AssetTables } from './asset-tables.ts';
import type { ChangeTables } from './change-tables.ts';
import type { ClientCertificateTables } from './client-certificate-tables.ts';
import type { CountTables } from './count-tables.ts';
import type { Kysely } from 'kysely';
import type { Flag, IdBytes } from '../codec.ts';
import type { DeliveryTables, NotifiedTable } from './delivery-tables.ts';
import type { HeartbeatTables } from './heartbeat-tables.ts';
import type { IncidentTables } from './incident-tables.ts';
import type { InstallationTables } from './installation-tables.ts';
import type { LocationTables } from './location-tables.ts';
import type { ProjectTables } from './project-tables.ts';
import type { RollUpTables } from './roll-up-tables.ts';
import type { ScheduleTables } from './schedule-tables.ts';
import type { ScriptFileTables } from './script-file-tables.ts';
import type { SessionTables } from './session-tables.ts';
import type { StatusPageTables } from './status-page-tables.ts';
import type { TrialTables } from './trial-tables.ts';
import type { TriggerTables } from './trigger-tables.ts';

/** The last number assigned per account and resource (decisions: numeric ids count up per account). */
export interface CountersTable {
  account_id: IdBytes;
  noun: string;
  last: number;
}

export interface ChecksTable {
  account_id: IdBytes;
  id: IdBytes;
  check_type: string;
  name: string;
  activated: Flag;
  muted: Flag;
  group_id: number | null;
  tags: string;
  /** The rest of the record, JSON, with encrypted secrets. */
  definition: string;
  created_at: number;
  updated_at: number | null;
}

/** A variable that a check uses and does not define itself. */
export interface CheckVariablesTable {
  account_id: IdBytes;
  name: string;
  check_id: IdBytes;
  /** 1 = it cannot run without it; 0 = a script reads it, or may set it. */
  required: Flag;
}

export interface CheckTagsTable {
  account_id: IdBytes;
  tag: string;
  check_id: IdBytes;
}

export interface CheckGroupsTable {
  account_id: IdBytes;
  id: number;
  name: string;
  activated: Flag;
  muted: Flag;
  /** When a mute until recovery was set; null = there is none. */
  muted_from: number | null;
  tags: string;
  definition: string;
  created_at: number;
  updated_at: number | null;
}

export interface AlertChannelsTable {
  account_id: IdBytes;
  id: number;
  type: string;
  config: string;
  /** JSON, encrypted; null = none. */
  secrets: string | null;
  send_recovery: Flag;
  send_failure: Flag;
  send_degraded: Flag;
  ssl_expiry: Flag;
  ssl_expiry_threshold: number;
  auto_subscribe: Flag;
  /** 1 = alerts of flapping checks are grouped. */
  grouping: Flag;
  /** JSON `ActiveHours`; null = always. */
  active_hours: string | null;
  /** A `ReportSchedule`. */
  report: string | null;
  /** When the next report is due, epoch ms. */
  report_at: number | null;
  exhausted_in_a_row: number;
  failing_since: number | null;
  /** 1 = report its failure, 2 = report its recovery; null = nothing. */
  failing_news: number | null;
  failing_reason: string | null;
  /** The delivery that made it failing. */
  failing_delivery_id: IdBytes | null;
  /** JSON: IDs of the notified channels. */
  failing_notified: string | null;
  /** Until when its receiver requested a delay, epoch ms; null = none. */
  requested_until: number | null;
  created_at: number;
  updated_at: number | null;
}

export interface SubscriptionsTable {
  account_id: IdBytes;
  id: number;
  alert_channel_id: number;
  check_id: IdBytes | null;
  group_id: number | null;
  activated: Flag;
  /** Minutes after the alert; 0 = at once. */
  escalation_minutes: number;
}

export interface VariablesTable {
  account_id: IdBytes;
  key: string;
  /** Encrypted if secret. */
  value: string;
  locked: Flag;
  secret: Flag;
  created_at: number;
  updated_at: number | null;
}

/** Open runs: the queue of the step `run-checks`. */
export interface RunsTable {
  account_id: IdBytes;
  id: IdBytes;
  check_id: IdBytes;
  location: string;
  source: number;
  slot_at: number | null;
  interval_ms: number | null;
  attempt: number;
  due_at: number;
  first_started_at: number | null;
  batch_id: IdBytes | null;
  /** When it can be claimed: its due time, or the end of its lease. */
  available_at: number;
  leased_by: string | null;
  /** 1 = another process had a run of its check when it was due; null = no. */
  held_back?: Flag | null;
}

/** Results, newest last within a check: the key sorts by time. */
export interface ResultsTable {
  account_id: IdBytes;
  check_id: IdBytes;
  /** The run's ID for the final attempt (its first 48 bits are the slot); derived for the others. */
  id: IdBytes;
  /** The run of a retried attempt; null for the final one, whose ID is the run's. */
  run_id: IdBytes | null;
  attempt: number;
  outcome: number;
  reason: number | null;
  message: string | null;
  location: string;
  source: number;
  slots: number;
  started_at: number;
  duration_ms: number;
  /** Microseconds. */
  response_us: number | null;
  loop_delay_ms: number;
  /** Packed. */
  details: Uint8Array | null;
  /**
   * Length of its slot; null on demand, and for results written before this column existed. Of a heartbeat, the time
   * before the result; negative = the check was then in the opposite state.
   */
  interval_ms: number | null;
}

/** Complete request and response, for results that store them. */
export interface ExchangesTable {
  account_id: IdBytes;
  check_id: IdBytes;
  result_id: IdBytes;
  exchange: string;
}

/** The newest passing exchange of each check and location, replaced by the next. */
export interface PassingExchangesTable {
  account_id: IdBytes;
  check_id: IdBytes;
  location: string;
  result_id: IdBytes;
  exchange: string;
}

export interface CheckStatesTable {
  account_id: IdBytes;
  check_id: IdBytes;
  status: string | null;
  since: number | null;
  /** Slot (or start) and start of the newest result that changed the state. */
  position_at: number | null;
  position_started_at: number | null;
  failed_in_a_row: number;
  degraded_in_a_row: number;
  failing_since: number | null;
  /** What was alerted in this state: failing, degraded or nothing. */
  alerted: string | null;
  /** JSON `Suppressor` of the alert that is due and not sent; null = none. */
  suppressed_by: string | null;
  /** When the check last became passing after it had not been. */
  passed_at: number | null;
  /** When a failure that was alerted or suppressed last ended, without flaps. */
  recovered_at: number | null;
  /** When that failure began; null = none ended, or its alert was suppressed. */
  failed_from: number | null;
  /** The open incident; null exactly if nothing is alerted. */
  incident_id: IdBytes | null;
  /** When its state began. */
  incident_started_at: number | null;
  /** While set, no reminders are sent. */
  acknowledged_at: number | null;
  /** JSON `Flapping`: its last changes; null = it never changed. */
  flapping: string | null;
  /** null = it does not flap. */
  flapping_since: number | null;
  /** When time alone can end that or cause a message; null = it does not flap. */
  flapping_due_at: number | null;
  /** Newest status by location, JSON, for checks that run in parallel. */
  by_location: string | null;
  last_result_id: IdBytes | null;
  last_outcome: number | null;
  last_location: string | null;
  /** null = passed, or written by an older version. */
  last_reason: number | null;
  last_response_us: number | null;
  longest_response_us: number | null;
  shortest_response_us: number | null;
  certificate_valid_to: number | null;
  /** JSON `StateCertificate`, with the row before; null = none was seen. */
  certificate: string | null;
  created_at: number;
  updated_at: number;
  /** Incremented by each write that changes what a status shows (docs/decisions/0040). */
  revision: number;
}

export interface AlertsTable {
  account_id: IdBytes;
  id: IdBytes;
  check_id: IdBytes;
  result_id: IdBytes;
  alert_type: string;
  check_name: string;
  check_type: string;
  location: string;
  response_us: number | null;
  error: string | null;
  status_code: number | null;
  started_at: number;
  created_at: number;
  /** null = about a certificate, or suppressed. */
  incident_id: IdBytes | null;
  /** JSON `Suppressor`; null = not suppressed. */
  suppressed_by: string | null;
  /** Whether it counts towards an alert storm: not a reminder. */
  is_counted: Flag;
  /** Number of channels that it was sent to, or joined a message of. */
  channels: number;
}

export interface DeliveriesTable {
  account_id: IdBytes;
  id: IdBytes;
  alert_channel_id: number;
  alert_id: IdBytes | null;
  check_id: IdBytes | null;
  check_result_id: IdBytes | null;
  /** null = a report on the account. */
  alert_type: string | null;
  status: number;
  attempts: number;
  created_at: number;
  /** When it can be claimed: its due time, or the end of its lease; null once finished. */
  next_attempt_at: number | null;
  leased_by: string | null;
  /** Start of the attempt in progress; still set after a crash, which identifies an interrupted one. */
  attempt_started_at: number | null;
  replay_of: IdBytes | null;
  is_test: Flag;
  error: string | null;
  /** The digest that its alert is in. */
  digest_id: IdBytes | null;
  is_digest: Flag;
  /** The channel in whose place another one sends; null = none. */
  routed_from: number | null;
  /** Since when it waits for a sending quota; null = it never did. */
  quota_waits_since: number | null;
  /** The incident of which only the newest message is sent; null = every message is sent (docs/decisions/0136). */
  latest_of: IdBytes | null;
  /** The change of a status page that it is about; null = none. */
  page_change_id: IdBytes | null;
}

export interface AttemptsTable {
  account_id: IdBytes;
  delivery_id: IdBytes;
  /** Position in the log, from 1. */
  position: number;
  /** Value of `x-service-attempt`. */
  number: number;
  started_at: number;
  duration_ms: number;
  status: number | null;
  error_class: string | null;
  error_message: string | null;
  next_attempt_at: number | null;
  /** Sent headers, response headers and body, JSON. */
  exchange: string;
}

export interface MaintenanceWindowsTable {
  account_id: IdBytes;
  id: number;
  /** The rest of the record, JSON. */
  definition: string;
  created_at: number;
  updated_at: number | null;
}

export interface Tables
  extends
    AssetTables,
    AuditTables,
    DeliveryTables,
    HeartbeatTables,
    IncidentTables,
    InstallationTables,
    LocationTables,
    ProjectTables,
    RollUpTables,
    ScheduleTables,
    ScriptFileTables,
    SessionTables,
    StatusPageTables,
    TrialTables,
    ChangeTables,
    TriggerTables,
    ClientCertificateTables,
    CountTables {
  counters: CountersTable;
  checks: ChecksTable;
  check_tags: CheckTagsTable;
  check_variables: CheckVariablesTable;
  check_groups: CheckGroupsTable;
  alert_channels: AlertChannelsTable;
  subscriptions: SubscriptionsTable;
  variables: VariablesTable;
  runs: RunsTable;
  results: ResultsTable;
  exchanges: ExchangesTable;
  passing_exchanges: PassingExchangesTable;
  check_states: CheckStatesTable;
  notified: NotifiedTable;
  alerts: AlertsTable;
  deliveries: DeliveriesTable;
  attempts: AttemptsTable;
  maintenance_windows: MaintenanceWindowsTable;
}

/** The query builder over all tables, of a transaction or for reads. */
export type Db = Kysely<Tables>;
