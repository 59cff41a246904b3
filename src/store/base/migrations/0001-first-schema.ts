// The first schema: every table of tables/schema.ts.
import type { Dialect } from '../dialect.ts';
import { sessionTables } from './0001-session-tables.ts';
import { statusPageTables } from './0001-status-page-tables.ts';

/** Due time of schedules in step, as in `store/schedules/schedule-rounds.ts`. */
const inStep = Number.MAX_SAFE_INTEGER;

/** The statements that create the schema, in order. */
export function firstSchema(dialect: Dialect): string[] {
  return [
    ...accountTables(dialect),
    ...peopleTables(dialect),
    ...auditTables(dialect),
    ...checkTables(dialect),
    ...triggerTables(dialect),
    ...sessionTables(dialect),
    ...channelTables(dialect),
    ...pathTables(dialect),
    ...resultTables(dialect),
    ...heartbeatTables(dialect),
    ...deliveryTables(dialect),
    ...rollUpTables(dialect),
    ...statusPageTables(dialect),
    ...installationTables(dialect),
  ];
}

function accountTables({ types, clustered, strict, churning }: Dialect): string[] {
  const { id, text, integer, code, instant, bytes } = types;
  const account = `account_id ${id} NOT NULL`;
  return [
    `CREATE TABLE accounts (id ${id} PRIMARY KEY NOT NULL, name ${text}, runtime_id ${text}, settings ${text},
      alert_settings ${text}, execution_limit ${integer}, limits ${text}, time_zone ${text},
      requires_second_factor ${code} NOT NULL DEFAULT 0, badge_generation ${integer} NOT NULL DEFAULT 0,
      created_at ${instant} NOT NULL)${clustered}`,
    `CREATE TABLE counters (${account}, noun ${text} NOT NULL, last ${integer} NOT NULL,
      PRIMARY KEY (account_id, noun))${clustered}`,
    `CREATE TABLE api_keys (id ${id} PRIMARY KEY NOT NULL, hash ${id} NOT NULL UNIQUE, prefix ${text} NOT NULL,
      name ${text} NOT NULL, role ${text} NOT NULL, is_operator ${integer}, created_at ${instant} NOT NULL,
      last_used_at ${instant}, expires_at ${instant})${clustered}`,
    `CREATE TABLE api_key_accounts (api_key_id ${id} NOT NULL, ${account}, position ${integer} NOT NULL,
      PRIMARY KEY (api_key_id, account_id))${clustered}`,
    `CREATE TABLE variables (${account}, key ${text} NOT NULL, value ${text} NOT NULL, locked ${code} NOT NULL,
      secret ${code} NOT NULL, created_at ${instant} NOT NULL, updated_at ${instant},
      PRIMARY KEY (account_id, key))${strict}`,
    // `key` and `passphrase` are encrypted.
    `CREATE TABLE client_certificates (${account}, id ${id} NOT NULL, host ${text} NOT NULL, cert ${text} NOT NULL,
      ca ${text}, key ${text} NOT NULL, passphrase ${text}, created_at ${instant} NOT NULL,
      PRIMARY KEY (account_id, id))${strict}`,
    // Files of scripts by the hash of their content, which is stored in chunks.
    `CREATE TABLE script_files (${account}, key ${text} NOT NULL, bytes ${integer} NOT NULL, counted ${integer} NOT NULL,
      is_whole ${code} NOT NULL, used_at ${instant} NOT NULL, PRIMARY KEY (account_id, key))${clustered}`,
    'CREATE INDEX script_files_by_use ON script_files (used_at)',
    `CREATE TABLE script_file_parts (${account}, key ${text} NOT NULL, part ${integer} NOT NULL,
      content ${bytes} NOT NULL, PRIMARY KEY (account_id, key, part))${strict}`,
    `CREATE TABLE private_locations (${account}, id ${id} NOT NULL, name ${text} NOT NULL, slug_name ${text} NOT NULL,
      icon ${text} NOT NULL, created_at ${instant} NOT NULL, updated_at ${instant}, PRIMARY KEY (account_id, id))${strict}`,
    `CREATE TABLE private_location_keys (${account}, id ${id} NOT NULL, location_id ${id} NOT NULL, hash ${id} NOT NULL,
      prefix ${text} NOT NULL, created_at ${instant} NOT NULL, PRIMARY KEY (account_id, location_id, id))${strict}`,
    `CREATE TABLE snippets (${account}, id ${integer} NOT NULL, name ${text} NOT NULL, script ${text} NOT NULL,
      created_at ${instant} NOT NULL, updated_at ${instant}, PRIMARY KEY (account_id, id))${strict}`,
    `CREATE TABLE maintenance_windows (${account}, id ${integer} NOT NULL, definition ${text} NOT NULL,
      created_at ${instant} NOT NULL, updated_at ${instant}, PRIMARY KEY (account_id, id))${strict}`,
    `CREATE TABLE account_counts (${account}, hour ${integer} NOT NULL, scheduled ${integer} NOT NULL DEFAULT 0,
      on_demand ${integer} NOT NULL DEFAULT 0, passed ${integer} NOT NULL DEFAULT 0,
      degraded ${integer} NOT NULL DEFAULT 0, failed ${integer} NOT NULL DEFAULT 0,
      unknown ${integer} NOT NULL DEFAULT 0, missed ${integer} NOT NULL DEFAULT 0,
      limited ${integer} NOT NULL DEFAULT 0, misconfigured ${integer} NOT NULL DEFAULT 0,
      alerts ${integer} NOT NULL DEFAULT 0, muted ${integer} NOT NULL DEFAULT 0,
      deliveries ${integer} NOT NULL DEFAULT 0, PRIMARY KEY (account_id, hour))${clustered}`,
    'CREATE INDEX account_counts_by_hour ON account_counts (hour)',
    `CREATE TABLE usage (${account}, month ${integer} NOT NULL, used ${integer} NOT NULL,
      PRIMARY KEY (account_id, month))${clustered}`,
    ...['account_counts', 'usage'].flatMap((table) => churning(table)),
  ];
}

function peopleTables({ types, clustered }: Dialect): string[] {
  const { id, text, code, instant } = types;
  const account = `account_id ${id} NOT NULL`;
  return [
    `CREATE TABLE users (id ${id} PRIMARY KEY NOT NULL, email ${text} NOT NULL, is_proven ${code} NOT NULL,
      password ${text}, is_operator ${code} NOT NULL, created_at ${instant} NOT NULL, last_sign_in_at ${instant},
      totp_secret ${text}, totp_since ${instant}, totp_step ${instant}, recovery_codes ${text})${clustered}`,
    'CREATE INDEX users_by_email ON users (email)',
    'CREATE UNIQUE INDEX users_by_proven_email ON users (email) WHERE is_proven = 1',
    `CREATE TABLE memberships (${account}, user_id ${id} NOT NULL, role ${text} NOT NULL,
      is_mapped ${code} NOT NULL, created_at ${instant} NOT NULL, PRIMARY KEY (account_id, user_id))${clustered}`,
    'CREATE INDEX memberships_of_user ON memberships (user_id)',
    `CREATE TABLE identities (issuer ${text} NOT NULL, subject ${text} NOT NULL, user_id ${id} NOT NULL, email ${text},
      created_at ${instant} NOT NULL, PRIMARY KEY (issuer, subject))${clustered}`,
    'CREATE UNIQUE INDEX identities_of_user ON identities (user_id, issuer)',
    `CREATE TABLE sessions (id ${id} PRIMARY KEY NOT NULL, hash ${id} NOT NULL UNIQUE, user_id ${id} NOT NULL,
      created_at ${instant} NOT NULL, last_seen_at ${instant} NOT NULL, expires_at ${instant} NOT NULL,
      user_agent ${text} NOT NULL, opened_by ${text} NOT NULL)${clustered}`,
    'CREATE INDEX sessions_of_user ON sessions (user_id)',
    `CREATE TABLE setup_links (hash ${id} PRIMARY KEY NOT NULL, created_at ${instant} NOT NULL,
      expires_at ${instant} NOT NULL, is_first ${code} NOT NULL)${clustered}`,
    `CREATE TABLE password_resets (hash ${id} PRIMARY KEY NOT NULL, user_id ${id} NOT NULL,
      expires_at ${instant} NOT NULL)${clustered}`,
    'CREATE INDEX password_resets_of_user ON password_resets (user_id)',
    `CREATE TABLE invites (${account}, id ${id} NOT NULL, hash ${id} NOT NULL, email ${text} NOT NULL,
      is_mailed ${code} NOT NULL, role ${text} NOT NULL, created_at ${instant} NOT NULL, expires_at ${instant} NOT NULL,
      PRIMARY KEY (account_id, id))${clustered}`,
    'CREATE INDEX invites_by_hash ON invites (hash)',
  ];
}

function auditTables({ types, strict, appendOnly }: Dialect): string[] {
  const { id, text, integer, instant } = types;
  return [
    `CREATE TABLE audit_log (account_id ${id} NOT NULL, id ${id} NOT NULL, at ${instant} NOT NULL,
      actor_kind ${text} NOT NULL, actor_id ${text}, actor_name ${text}, address ${text}, request_id ${text},
      operation ${text} NOT NULL, via ${text}, resource ${text}, resource_id ${text}, resource_name ${text},
      changes ${text} NOT NULL, count ${integer} NOT NULL, PRIMARY KEY (account_id, id))${strict}`,
    'CREATE INDEX audit_log_by_resource ON audit_log (account_id, resource_id, id)',
    ...appendOnly('audit_log'),
  ];
}

function checkTables({ types, clustered, strict }: Dialect): string[] {
  const { id, text, integer, code, instant } = types;
  const account = `account_id ${id} NOT NULL`;
  const stamps = `created_at ${instant} NOT NULL, updated_at ${instant}`;
  return [
    `CREATE TABLE checks (${account}, id ${id} NOT NULL, check_type ${text} NOT NULL, name ${text} NOT NULL,
      activated ${code} NOT NULL, muted ${code} NOT NULL, group_id ${integer}, tags ${text} NOT NULL,
      definition ${text} NOT NULL, ${stamps}, PRIMARY KEY (account_id, id))${strict}`,
    'CREATE INDEX checks_by_group ON checks (account_id, group_id)',
    'CREATE INDEX checks_by_age ON checks (account_id, created_at, id)',
    // Few checks have dependencies.
    `CREATE INDEX checks_with_dependencies ON checks (account_id, id) WHERE definition LIKE '%"dependsOn":["%'`,
    `CREATE INDEX checks_in_browsers ON checks (account_id, id) WHERE check_type = 'BROWSER'`,
    `CREATE TABLE check_tags (${account}, tag ${text} NOT NULL, check_id ${id} NOT NULL,
      PRIMARY KEY (account_id, tag, check_id))${clustered}`,
    // Variables that each check uses, so that undefined ones are found without reading every check.
    `CREATE TABLE check_variables (${account}, name ${text} NOT NULL, check_id ${id} NOT NULL, required ${code} NOT NULL,
      PRIMARY KEY (account_id, name, check_id))${clustered}`,
    'CREATE INDEX check_variables_of_check ON check_variables (account_id, check_id)',
    `CREATE TABLE check_groups (${account}, id ${integer} NOT NULL, name ${text} NOT NULL,
      activated ${code} NOT NULL, muted ${code} NOT NULL, muted_from ${instant}, tags ${text} NOT NULL,
      definition ${text} NOT NULL, ${stamps}, PRIMARY KEY (account_id, id))${strict}`,
    `CREATE TABLE projects (${account}, id ${id} NOT NULL, logical_id ${text} NOT NULL, name ${text} NOT NULL,
      repo_url ${text}, source ${text} NOT NULL, ${stamps}, PRIMARY KEY (account_id, id),
      UNIQUE (account_id, logical_id))${strict}`,
    // What a project owns; a row belongs to one project.
    `CREATE TABLE project_resources (${account}, project_id ${id} NOT NULL, type ${text} NOT NULL,
      logical_id ${text} NOT NULL, physical_id ${text} NOT NULL, is_subscribing ${code} NOT NULL,
      retired_at ${instant},
      PRIMARY KEY (account_id, project_id, type, logical_id), UNIQUE (account_id, type, physical_id))${strict}`,
    // `change_id`: the deletion of its checks in parts.
    `CREATE TABLE deployments (${account}, id ${id} NOT NULL, project ${text} NOT NULL, status ${text} NOT NULL,
      progress ${text} NOT NULL, error ${text}, diff ${text}, change_id ${id}, leased_until ${instant},
      created_at ${instant} NOT NULL, ended_at ${instant}, PRIMARY KEY (account_id, id))${strict}`,
    `CREATE UNIQUE INDEX deployments_open ON deployments (account_id, project) WHERE ended_at IS NULL`,
    'CREATE INDEX check_groups_muted ON check_groups (account_id, id) WHERE muted_from IS NOT NULL',
  ];
}

function triggerTables({ types, clustered, strict, byToken }: Dialect): string[] {
  const { id, text, integer, code, instant } = types;
  const account = `account_id ${id} NOT NULL`;
  return [
    `CREATE TABLE triggers (${account}, id ${integer} NOT NULL, token ${text} NOT NULL, group_id ${integer},
      check_id ${id}, created_at ${instant} NOT NULL, called_at ${instant}, updated_at ${instant},
      PRIMARY KEY (account_id, id), UNIQUE (account_id, group_id), UNIQUE (account_id, check_id))${strict}`,
    byToken('triggers'),
    // Options of calls by token: quiet, and encrypted variables of the call (docs/decisions/0116).
    `CREATE TABLE trigger_calls (${account}, id ${id} NOT NULL, called_at ${instant} NOT NULL,
      is_quiet ${code} NOT NULL, variables ${text} NOT NULL, PRIMARY KEY (account_id, id))${clustered}`,
    `CREATE TABLE idempotency_keys (${account}, key ${text} NOT NULL, operation ${text} NOT NULL,
      answer ${text} NOT NULL, created_at ${instant} NOT NULL, PRIMARY KEY (account_id, key, operation))${clustered}`,
    'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)',
    // Definitions of checks that run once without being saved; `definition` and `finding` are encrypted.
    `CREATE TABLE check_trials (${account}, id ${id} NOT NULL, location ${text} NOT NULL, definition ${text} NOT NULL,
      finding ${text}, leased_by ${text}, leased_until ${instant}, created_at ${instant} NOT NULL,
      slices ${integer} NOT NULL, PRIMARY KEY (account_id, id))${strict}`,
    // What a trial reports while it runs; `content` is encrypted.
    `CREATE TABLE trial_slices (${account}, trial_id ${id} NOT NULL, number ${integer} NOT NULL, content ${text} NOT NULL,
      created_at ${instant} NOT NULL, PRIMARY KEY (account_id, trial_id, number))${strict}`,
    `CREATE TABLE check_changes (${account}, id ${id} NOT NULL, edit ${text}, undo_of ${id}, acting ${text},
      checks ${integer} NOT NULL, parts ${integer} NOT NULL, parts_done ${integer} NOT NULL,
      changed ${integer} NOT NULL, unchanged ${integer} NOT NULL, refused ${integer} NOT NULL, leased_by ${text},
      leased_until ${instant}, created_at ${instant} NOT NULL, ended_at ${instant},
      PRIMARY KEY (account_id, id))${strict}`,
    'CREATE INDEX check_changes_open ON check_changes (created_at) WHERE ended_at IS NULL',
    `CREATE TABLE check_change_parts (${account}, change_id ${id} NOT NULL, position ${integer} NOT NULL,
      check_ids ${text} NOT NULL, changed ${text}, refused ${text},
      PRIMARY KEY (account_id, change_id, position))${strict}`,
  ];
}

function channelTables({ types, clustered, strict }: Dialect): string[] {
  const { id, text, integer, code, instant } = types;
  const account = `account_id ${id} NOT NULL`;
  return [
    // `failing_news`: 1 = report that it fails, 2 = report its recovery; null = nothing to report (docs/decisions/0026).
    // `requested_until`: no first attempt starts before this instant (docs/decisions/0014).
    `CREATE TABLE alert_channels (${account}, id ${integer} NOT NULL, type ${text} NOT NULL, config ${text} NOT NULL,
      secrets ${text}, send_recovery ${code} NOT NULL,
      send_failure ${code} NOT NULL, send_degraded ${code} NOT NULL, ssl_expiry ${code} NOT NULL,
      ssl_expiry_threshold ${integer} NOT NULL, auto_subscribe ${code} NOT NULL, grouping ${code} NOT NULL DEFAULT 0, active_hours ${text},
      report ${text}, report_at ${instant},
      exhausted_in_a_row ${integer} NOT NULL DEFAULT 0, failing_since ${instant}, failing_news ${code},
      failing_reason ${text}, failing_delivery_id ${id}, failing_notified ${text}, requested_until ${instant},
      created_at ${instant} NOT NULL, updated_at ${instant}, PRIMARY KEY (account_id, id))${strict}`,
    'CREATE INDEX alert_channels_with_report ON alert_channels (report_at) WHERE report_at IS NOT NULL',
    'CREATE INDEX alert_channels_with_news ON alert_channels (account_id, id) WHERE failing_news IS NOT NULL',
    `CREATE TABLE subscriptions (${account}, id ${integer} NOT NULL, alert_channel_id ${integer} NOT NULL,
      check_id ${id}, group_id ${integer}, activated ${code} NOT NULL, escalation_minutes ${integer} NOT NULL DEFAULT 0,
      PRIMARY KEY (account_id, id),
      UNIQUE (account_id, check_id, alert_channel_id), UNIQUE (account_id, group_id, alert_channel_id))${strict}`,
    'CREATE INDEX subscriptions_by_channel ON subscriptions (account_id, alert_channel_id)',
    `CREATE TABLE notified (${account}, check_id ${id} NOT NULL, alert_channel_id ${integer} NOT NULL, open ${text},
      certificates ${text}, notified_at ${instant}, reminders ${integer}, flapping ${text}, routed_to ${integer},
      is_grouped ${code} NOT NULL DEFAULT 0, delivery_id ${id}, escalates_at ${instant}, alert_id ${id},
      PRIMARY KEY (account_id, check_id, alert_channel_id))${clustered}`,
    'CREATE INDEX notified_escalating ON notified (account_id, check_id, escalates_at) WHERE escalates_at IS NOT NULL',
  ];
}

function pathTables({ types, clustered, churning, covered, runIndexes }: Dialect): string[] {
  const { id, text, integer, code, instant } = types;
  const check = `account_id ${id} NOT NULL, check_id ${id} NOT NULL`;
  return [
    `CREATE TABLE schedules (${check}, next_due_at ${instant} NOT NULL, interval_ms ${integer} NOT NULL,
      phase_ms ${integer} NOT NULL, locations ${text} NOT NULL, run_parallel ${code} NOT NULL,
      turn ${integer} NOT NULL DEFAULT 0, planned_to ${instant}, PRIMARY KEY (account_id, check_id))${clustered}`,
    'CREATE INDEX schedules_due ON schedules (next_due_at)',
    `CREATE INDEX schedules_in_step ON schedules (interval_ms, phase_ms, account_id, check_id${covered('locations', 'run_parallel')})
      WHERE next_due_at = ${inStep}`,
    // Schedules of one interval are planned in rounds, without writing to any of them (docs/decisions/0036).
    `CREATE TABLE schedule_rounds (interval_ms ${integer} PRIMARY KEY NOT NULL, planned_to ${instant} NOT NULL,
      round_to ${instant}, at_slot ${instant}, at_account ${id}, at_check ${id})${clustered}`,
    // Checks that run at once, before their first slot (docs/decisions/0116).
    `CREATE TABLE first_runs (${check}, due_at ${instant} NOT NULL, PRIMARY KEY (account_id, check_id))${clustered}`,
    'CREATE INDEX first_runs_due ON first_runs (due_at)',
    // `held_back`: 1 = another process had a run of its check at its location when it was due.
    `CREATE TABLE runs (account_id ${id} NOT NULL, id ${id} NOT NULL, check_id ${id} NOT NULL, location ${text} NOT NULL,
      source ${code} NOT NULL, slot_at ${instant}, interval_ms ${integer}, attempt ${integer} NOT NULL,
      due_at ${instant} NOT NULL, first_started_at ${instant}, batch_id ${id}, available_at ${instant} NOT NULL,
      leased_by ${text}, held_back ${code}, PRIMARY KEY (account_id, id))${clustered}`,
    ...['schedules', 'schedule_rounds', 'runs'].flatMap((table) => churning(table)),
    ...runIndexes,
  ];
}

function resultTables(dialect: Dialect): string[] {
  const { types, clustered, strict } = dialect;
  const { id, text, integer, code, instant, bytes } = types;
  const check = `account_id ${id} NOT NULL, check_id ${id} NOT NULL`;
  const asset = `${check}, result_id ${id} NOT NULL, number ${integer} NOT NULL`;
  return [
    `CREATE TABLE results (${check}, id ${id} NOT NULL, run_id ${id}, attempt ${integer} NOT NULL,
      outcome ${code} NOT NULL, reason ${code}, message ${text}, location ${text} NOT NULL,
      source ${code} NOT NULL, slots ${integer} NOT NULL, started_at ${instant} NOT NULL,
      duration_ms ${integer} NOT NULL, response_us ${integer}, loop_delay_ms ${integer} NOT NULL,
      interval_ms ${integer}, details ${bytes}, PRIMARY KEY (account_id, check_id, id))${clustered}${dialect.byDay('id')}`,
    `CREATE TABLE exchanges (${check}, result_id ${id} NOT NULL, exchange ${text} NOT NULL,
      PRIMARY KEY (account_id, check_id, result_id))${strict}${dialect.byDay('result_id')}`,
    // Files left by script runs, with their content in chunks (docs/decisions/0083).
    `CREATE TABLE result_assets (${asset}, sort ${text} NOT NULL, name ${text} NOT NULL, content_type ${text} NOT NULL,
      bytes ${integer} NOT NULL, location ${text} NOT NULL, is_newest ${code} NOT NULL,
      PRIMARY KEY (account_id, check_id, result_id, number))${strict}${dialect.byDay('result_id')}`,
    'CREATE INDEX result_assets_newest ON result_assets (account_id, check_id, location) WHERE is_newest = 1',
    `CREATE TABLE asset_parts (${asset}, part ${integer} NOT NULL, content ${bytes} NOT NULL,
      PRIMARY KEY (account_id, check_id, result_id, number, part))${strict}${dialect.byDay('result_id')}`,
    ...['results', 'exchanges', 'result_assets', 'asset_parts'].flatMap((table) => dialect.otherDays(table)),
    ...(dialect.attemptsIndex ?? []),
    `CREATE TABLE passing_exchanges (${check}, location ${text} NOT NULL, result_id ${id} NOT NULL,
      exchange ${text} NOT NULL, PRIMARY KEY (account_id, check_id, location))${strict}`,
    `CREATE TABLE check_states (${check}, status ${text}, since ${instant}, position_at ${instant},
      position_started_at ${instant}, failed_in_a_row ${integer} NOT NULL, degraded_in_a_row ${integer} NOT NULL,
      failing_since ${instant}, alerted ${text}, suppressed_by ${text}, recovered_at ${instant},
      failed_from ${instant}, passed_at ${instant}, incident_id ${id}, incident_started_at ${instant},
      acknowledged_at ${instant}, flapping ${text}, flapping_since ${instant}, flapping_due_at ${instant},
      by_location ${text}, last_result_id ${id}, last_outcome ${integer},
      last_reason ${code}, last_location ${text}, last_response_us ${integer}, longest_response_us ${integer},
      shortest_response_us ${integer}, certificate_valid_to ${instant}, certificate ${text}, created_at ${instant} NOT NULL,
      updated_at ${instant} NOT NULL, revision ${integer} NOT NULL, PRIMARY KEY (account_id, check_id))${clustered}`,
    // Changes with the check, not with each result; the last three columns avoid reading the row.
    `CREATE INDEX check_states_untold ON check_states (account_id, check_id, status, alerted, flapping_due_at)
       WHERE (status <> 'passing' AND alerted IS DISTINCT FROM status) OR flapping_due_at IS NOT NULL`,
    ...['passing_exchanges', 'check_states'].flatMap((table) => dialect.churning(table)),
  ];
}

function heartbeatTables(dialect: Dialect): string[] {
  const { types, clustered } = dialect;
  const { id, text, integer, code, instant } = types;
  const check = `account_id ${id} NOT NULL, check_id ${id} NOT NULL`;
  const ping = `id ${id} NOT NULL, signal ${code} NOT NULL, exit_code ${integer}, state ${code} NOT NULL,
    method ${text} NOT NULL, source ${text}, user_agent ${text}`;
  return [
    `CREATE TABLE heartbeats (${check}, token ${id} NOT NULL, is_active ${code} NOT NULL,
      period_ms ${integer} NOT NULL, grace_ms ${integer} NOT NULL, due_at ${instant} NOT NULL, timer_at ${instant},
      pinged_at ${instant}, started_at ${instant}, result_at ${instant}, is_passing ${code} NOT NULL,
      is_excused ${code} NOT NULL, PRIMARY KEY (account_id, check_id))${clustered}`,
    dialect.byToken('heartbeats'),
    'CREATE INDEX heartbeats_due ON heartbeats (due_at)',
    `CREATE TABLE pings (${check}, ${ping}, body ${text},
      PRIMARY KEY (account_id, check_id, id))${clustered}${dialect.byDay('id')}`,
    ...dialect.otherDays('pings'),
    ...dialect.byAge('pings', 'id'),
    `CREATE TABLE waiting_pings (${check}, ${ping}, received_at ${instant} NOT NULL,
      is_failure ${code} NOT NULL, interval_ms ${integer}, took_ms ${integer}, note ${text},
      PRIMARY KEY (account_id, check_id, id))${clustered}`,
    ...['heartbeats', 'waiting_pings'].flatMap((table) => dialect.churning(table)),
  ];
}

function deliveryTables({ types, clustered, strict, churning, leasedDeliveries }: Dialect): string[] {
  const { id, text, integer, code, instant } = types;
  const account = `account_id ${id} NOT NULL`;
  return [
    `CREATE TABLE alerts (${account}, id ${id} NOT NULL, check_id ${id} NOT NULL, result_id ${id} NOT NULL,
      alert_type ${text} NOT NULL, check_name ${text} NOT NULL, check_type ${text} NOT NULL, location ${text} NOT NULL,
      response_us ${integer}, error ${text}, status_code ${integer}, started_at ${instant} NOT NULL,
      created_at ${instant} NOT NULL, incident_id ${id}, suppressed_by ${text}, is_counted ${code} NOT NULL DEFAULT 0,
      channels ${integer} NOT NULL DEFAULT 0,
      PRIMARY KEY (account_id, id))${clustered}`,
    'CREATE INDEX alerts_by_check ON alerts (account_id, check_id, id)',
    'CREATE INDEX alerts_by_time ON alerts (account_id, created_at)',
    'CREATE INDEX alerts_by_incident ON alerts (account_id, incident_id, id) WHERE incident_id IS NOT NULL',
    `CREATE TABLE incidents (${account}, id ${id} NOT NULL, check_id ${id} NOT NULL, check_name ${text} NOT NULL,
      check_type ${text} NOT NULL, kind ${text} NOT NULL, started_at ${instant} NOT NULL, opened_at ${instant} NOT NULL,
      ended_at ${instant}, ended_by ${text}, acknowledged_at ${instant}, acknowledged_by ${text},
      first_alert_id ${id} NOT NULL, result_id ${id} NOT NULL, PRIMARY KEY (account_id, id))${clustered}`,
    'CREATE INDEX incidents_by_check ON incidents (account_id, check_id, id, ended_at)',
    // Of the same rows as the primary key: SQLite chooses it only if it covers all columns of a statement.
    'CREATE INDEX incidents_open ON incidents (account_id, id, ended_at) WHERE ended_at IS NULL',
    'CREATE INDEX incidents_open_since ON incidents (account_id, opened_at) WHERE ended_at IS NULL',
    `CREATE TABLE deliveries (${account}, id ${id} NOT NULL, alert_channel_id ${integer} NOT NULL, alert_id ${id},
      check_id ${id}, check_result_id ${id}, alert_type ${text}, status ${code} NOT NULL,
      attempts ${integer} NOT NULL DEFAULT 0, created_at ${instant} NOT NULL, next_attempt_at ${instant},
      leased_by ${text}, attempt_started_at ${instant}, replay_of ${id}, is_test ${code} NOT NULL DEFAULT 0,
      error ${text}, digest_id ${id}, is_digest ${code} NOT NULL DEFAULT 0, routed_from ${integer},
      quota_waits_since ${instant}, latest_of ${id}, page_change_id ${id},
      PRIMARY KEY (account_id, id))${strict}`,
    `CREATE INDEX deliveries_pending ON deliveries (account_id, alert_channel_id, next_attempt_at, id)
      WHERE status = 0`,
    'CREATE INDEX deliveries_by_channel ON deliveries (account_id, alert_channel_id, id)',
    `CREATE INDEX deliveries_by_check ON deliveries (account_id, alert_channel_id, check_id, id)
      WHERE latest_of IS NOT NULL`,
    'CREATE INDEX deliveries_by_digest ON deliveries (account_id, digest_id, id) WHERE digest_id IS NOT NULL',
    `CREATE TABLE alert_storms (${account}, started_at ${instant}, is_current ${code} NOT NULL, channels ${text} NOT NULL,
      PRIMARY KEY (account_id))${clustered}`,
    'CREATE INDEX alert_storms_current ON alert_storms (account_id) WHERE is_current = 1',
    ...leasedDeliveries,
    `CREATE TABLE delivery_requests (${account}, delivery_id ${id} NOT NULL, request ${text} NOT NULL,
      PRIMARY KEY (account_id, delivery_id))${strict}`,
    // Input for rendering deliveries (docs/decisions/0120).
    `CREATE TABLE delivery_contents (${account}, delivery_id ${id} NOT NULL, content ${text} NOT NULL,
      PRIMARY KEY (account_id, delivery_id))${strict}`,
    `CREATE TABLE attempts (${account}, delivery_id ${id} NOT NULL, position ${integer} NOT NULL,
      number ${integer} NOT NULL, started_at ${instant} NOT NULL, duration_ms ${integer} NOT NULL, status ${code},
      error_class ${text}, error_message ${text}, next_attempt_at ${instant}, exchange ${text} NOT NULL,
      PRIMARY KEY (account_id, delivery_id, position))${strict}`,
    ...churning('deliveries'),
  ];
}

function rollUpTables({ types, clustered }: Dialect): string[] {
  const { id, text, integer, code, instant, bytes } = types;
  const check = `account_id ${id} NOT NULL, check_id ${id} NOT NULL`;
  const counts = ['passed', 'degraded', 'failed', 'unknown', 'missed', 'retries', 'known_ms', 'down_ms', 'unknown_ms'];
  return [
    `CREATE TABLE roll_ups (${check}, span ${code} NOT NULL, start_at ${instant} NOT NULL, location ${text} NOT NULL,
      ${counts.map((name) => `${name} ${integer} NOT NULL`).join(', ')}, responses ${bytes}, failed_responses ${bytes},
      by_status ${bytes}, phases ${bytes}, final_results ${integer},
      PRIMARY KEY (account_id, check_id, span, start_at, location))${clustered}`,
    `CREATE TABLE missed_stretches (${check}, result_id ${id} NOT NULL, location ${text} NOT NULL,
      slot_at ${instant} NOT NULL, slots ${integer} NOT NULL, interval_ms ${integer} NOT NULL, end_at ${instant} NOT NULL,
      PRIMARY KEY (account_id, check_id, result_id))${clustered}`,
    `CREATE TABLE late_hours (${check}, start_at ${instant} NOT NULL, touched ${integer} NOT NULL,
      PRIMARY KEY (account_id, check_id, start_at))${clustered}`,
    'CREATE INDEX late_hours_by_age ON late_hours (start_at)',
  ];
}

function installationTables({ types, clustered, churning }: Dialect): string[] {
  const { id, text, integer, code, instant } = types;
  return [
    `CREATE TABLE processes (id ${id} PRIMARY KEY NOT NULL, roles ${text} NOT NULL, version ${text} NOT NULL,
      location ${text} NOT NULL, location_name ${text} NOT NULL, host ${text} NOT NULL, pid ${integer} NOT NULL,
      public_url ${text}, started_at ${instant} NOT NULL, seen_at ${instant} NOT NULL, runs ${integer} NOT NULL,
      deliveries ${integer} NOT NULL, no_browser_since ${instant}, resolver_down_since ${instant}, listeners ${text},
      scripts_refused ${text}, stalled ${text}, notices ${text})${clustered}`,
    `CREATE TABLE locations (code ${text} PRIMARY KEY NOT NULL, name ${text} NOT NULL, owner_id ${id}, is_claimed ${code} NOT NULL DEFAULT 0,
      seen_at ${instant} NOT NULL)${clustered}`,
    `CREATE TABLE runtime_stages (name ${text} PRIMARY KEY NOT NULL, stage ${text} NOT NULL,
      seen_at ${instant} NOT NULL)${clustered}`,
    `CREATE TABLE installation (key ${text} PRIMARY KEY NOT NULL, value ${text} NOT NULL)${clustered}`,
    ...churning('processes'),
  ];
}
