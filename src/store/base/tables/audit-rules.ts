// What the audit log records of each table. A new table needs a line: how it is audited, or why it is not.
import type { AuditedResource } from '#domain/accounts/audit-entry.ts';
import type { Tables } from './schema.ts';

/** How changes of rows become changes of a resource. */
export interface AuditRule {
  readonly resource: AuditedResource;
  /** Columns of the key, without the account. */
  readonly key: readonly string[];
  /** The column that identifies the resource, if it is not the key. */
  readonly id?: string;
  readonly name?: string;
  /** Columns with the fields that people set. */
  readonly shows: readonly string[];
  /** Those that contain 0 or 1. */
  readonly flags?: readonly string[];
  /** Those that contain JSON. */
  readonly json?: readonly string[];
  /** Columns that are only compared. */
  readonly secret?: readonly string[];
  /** Updates that change none of these columns are not recorded. */
  readonly isQuiet?: true;
}

const derived = 'follows from other tables';
const path = 'written by the steps of monitoring';
const operating = 'belongs to the installation, and no operation changes it';

/** The rule of a table, or why it has none. */
export const auditRules: Readonly<Record<keyof Tables, AuditRule | string>> = {
  accounts: {
    resource: 'account',
    key: ['id'],
    name: 'name',
    shows: [
      'name',
      'runtime_id',
      'settings',
      'alert_settings',
      'execution_limit',
      'limits',
      'time_zone',
      'requires_second_factor',
      'badge_generation',
    ],
    flags: ['requires_second_factor'],
    json: ['settings', 'alert_settings', 'limits'],
  },
  api_keys: {
    resource: 'api-key',
    key: ['id'],
    name: 'name',
    shows: ['name', 'prefix', 'role', 'is_operator', 'expires_at'],
    flags: ['is_operator'],
  },
  api_key_accounts: { resource: 'api-key', key: ['api_key_id'], id: 'api_key_id', shows: [] },
  users: {
    resource: 'user',
    key: ['id'],
    name: 'email',
    shows: ['email', 'is_proven', 'is_operator', 'totp_since'],
    flags: ['is_proven', 'is_operator'],
    secret: ['password', 'totp_secret', 'recovery_codes'],
    isQuiet: true,
  },
  memberships: {
    resource: 'member',
    key: ['user_id'],
    id: 'user_id',
    shows: ['role', 'is_mapped'],
    flags: ['is_mapped'],
  },
  identities: {
    resource: 'identity',
    key: ['issuer', 'subject'],
    id: 'subject',
    name: 'email',
    shows: ['issuer', 'subject', 'email'],
  },
  sessions: { resource: 'session', key: ['id'], shows: ['user_agent', 'opened_by'] },
  password_resets: 'the change of the password is recorded',
  setup_links: { resource: 'setup-link', key: [], shows: ['is_first'], flags: ['is_first'] },
  invites: {
    resource: 'invite',
    key: ['id'],
    name: 'email',
    shows: ['email', 'role', 'is_mailed', 'expires_at'],
    flags: ['is_mailed'],
  },
  checks: {
    resource: 'check',
    key: ['id'],
    name: 'name',
    shows: ['check_type', 'name', 'activated', 'muted', 'group_id', 'tags', 'definition'],
    flags: ['activated', 'muted'],
    json: ['tags', 'definition'],
  },
  check_groups: {
    resource: 'check-group',
    key: ['id'],
    name: 'name',
    shows: ['name', 'activated', 'muted', 'tags', 'definition'],
    flags: ['activated', 'muted'],
    json: ['tags', 'definition'],
  },
  triggers: { resource: 'trigger', key: ['id'], shows: ['group_id', 'check_id'] },
  alert_channels: {
    resource: 'alert-channel',
    key: ['id'],
    shows: [
      'type',
      'config',
      'send_recovery',
      'send_failure',
      'send_degraded',
      'ssl_expiry',
      'ssl_expiry_threshold',
      'auto_subscribe',
      'grouping',
      'active_hours',
      'report',
    ],
    flags: ['send_recovery', 'send_failure', 'send_degraded', 'ssl_expiry', 'auto_subscribe', 'grouping'],
    json: ['config', 'active_hours', 'report'],
    secret: ['secrets'],
  },
  subscriptions: {
    resource: 'subscription',
    key: ['id'],
    shows: ['alert_channel_id', 'check_id', 'group_id', 'activated'],
    flags: ['activated'],
  },
  variables: {
    resource: 'variable',
    key: ['key'],
    name: 'key',
    shows: ['value', 'locked', 'secret'],
    flags: ['locked', 'secret'],
  },
  client_certificates: {
    resource: 'client-certificate',
    key: ['id'],
    name: 'host',
    shows: ['host'],
    secret: ['cert', 'ca', 'key', 'passphrase'],
  },
  private_locations: {
    resource: 'private-location',
    key: ['id'],
    name: 'name',
    shows: ['name', 'slug_name', 'icon'],
  },
  private_location_keys: {
    resource: 'private-location-key',
    key: ['id'],
    name: 'prefix',
    shows: ['prefix', 'location_id'],
    secret: ['hash'],
  },
  snippets: { resource: 'snippet', key: ['id'], name: 'name', shows: ['name', 'script'] },
  maintenance_windows: {
    resource: 'maintenance-window',
    key: ['id'],
    shows: ['definition'],
    json: ['definition'],
  },
  status_pages: {
    resource: 'status-page',
    key: ['id'],
    name: 'name',
    shows: ['name', 'url', 'custom_domain', 'is_published', 'definition'],
    flags: ['is_published'],
    json: ['definition'],
    secret: ['password_hash'],
  },
  status_page_images: {
    resource: 'status-page',
    key: ['page_id', 'name'],
    id: 'page_id',
    shows: ['name', 'media_type'],
    secret: ['content'],
  },
  status_services: {
    resource: 'status-service',
    key: ['id'],
    name: 'name',
    shows: ['name', 'definition'],
    json: ['definition'],
  },
  status_incidents: {
    resource: 'status-incident',
    key: ['id'],
    name: 'name',
    shows: ['name', 'is_draft', 'publish_at', 'started_at', 'resolved_at', 'definition'],
    flags: ['is_draft'],
    json: ['definition'],
  },
  status_incident_updates: {
    resource: 'status-incident-update',
    key: ['incident_id', 'id'],
    id: 'id',
    shows: ['incident_id', 'status', 'description', 'notify_subscribers', 'public_at'],
    flags: ['notify_subscribers'],
  },
  status_subscribers: {
    resource: 'status-subscriber',
    key: ['page_id', 'id'],
    id: 'id',
    shows: ['page_id', 'services'],
    json: ['services'],
    secret: ['email'],
  },
  status_page_addresses: derived,
  status_service_days: derived,
  status_page_snapshots: derived,
  status_page_changes: derived,
  status_mail_slots: derived,
  projects: {
    resource: 'project',
    key: ['id'],
    name: 'logical_id',
    shows: ['logical_id', 'name', 'repo_url', 'source'],
  },
  project_resources: 'the entries of the deployment list the resources',
  deployments: 'the entry of what it changed says who deployed',
  incidents: { resource: 'incident', key: ['id'], name: 'check_name', shows: ['acknowledged_at'] },
  deliveries: { resource: 'delivery', key: ['id'], shows: [] },
  audit_log: 'is the audit log',
  counters: derived,
  check_tags: derived,
  check_variables: derived,
  schedules: derived,
  schedule_rounds: derived,
  first_runs: derived,
  heartbeats: derived,
  delivery_requests: derived,
  delivery_contents: derived,
  runs: path,
  results: path,
  exchanges: path,
  passing_exchanges: path,
  check_states: path,
  notified: path,
  alerts: path,
  attempts: path,
  account_counts: path,
  usage: path,
  result_assets: path,
  asset_parts: path,
  alert_storms: path,
  pings: path,
  waiting_pings: path,
  roll_ups: path,
  missed_stretches: path,
  late_hours: path,
  script_files: 'has no effect until a check names the file',
  script_file_parts: 'content of a file, which never changes',
  check_trials: 'stores nothing for longer than ten minutes',
  trial_slices: 'stores nothing for longer than ten minutes',
  test_sessions: 'changes no check; its runs show what was started',
  test_runs: 'belongs to a test session',
  test_events: 'belongs to a test session',
  check_sessions: 'starts runs, which show what started them',
  check_changes: 'the entries of the changed checks name who started it',
  check_change_parts: 'belongs to a change',
  trigger_calls: 'belongs to runs, which show who started them',
  idempotency_keys: 'repeats answers',
  runtime_stages: operating,
  installation: { resource: 'installation', key: ['key'], name: 'key', shows: [] },
  processes: operating,
  locations: operating,
};

/** The rule of a table; null = it has none. */
export function auditRuleOf(table: keyof Tables): AuditRule | null {
  const rule = auditRules[table];
  return typeof rule === 'string' ? null : rule;
}
