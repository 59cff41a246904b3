// The first schema: every table of schema.ts.
import type { Dialect } from '../dialect.ts';

/** The statements that make the schema, in order. */
export function firstSchema(dialect: Dialect): string[] {
  const { types, clustered, strict } = dialect;
  const { id, text, integer, instant } = types;
  const account = `account_id ${id} NOT NULL`;
  return [
    `CREATE TABLE accounts (id ${id} PRIMARY KEY NOT NULL, name ${text}, runtime_id ${text}, settings ${text},
      alert_settings ${text}, execution_limit ${integer}, created_at ${instant} NOT NULL)${clustered}`,
    `CREATE TABLE counters (${account}, noun ${text} NOT NULL, last ${integer} NOT NULL,
      PRIMARY KEY (account_id, noun))${clustered}`,
    `CREATE TABLE api_keys (id ${id} PRIMARY KEY NOT NULL, hash ${id} NOT NULL UNIQUE, prefix ${text} NOT NULL,
      name ${text} NOT NULL, role ${text} NOT NULL, created_at ${instant} NOT NULL, last_used_at ${instant},
      expires_at ${instant})${clustered}`,
    `CREATE TABLE api_key_accounts (api_key_id ${id} NOT NULL, ${account}, position ${integer} NOT NULL,
      PRIMARY KEY (api_key_id, account_id))${clustered}`,
    ...resourceTables(types, account, clustered, strict),
    ...pathTables(dialect, account),
    ...deliveryTables(types, account, clustered, strict),
    `CREATE TABLE run_counts (${account}, day ${integer} NOT NULL, scheduled ${integer} NOT NULL DEFAULT 0,
      on_demand ${integer} NOT NULL DEFAULT 0, passed ${integer} NOT NULL DEFAULT 0,
      degraded ${integer} NOT NULL DEFAULT 0, failed ${integer} NOT NULL DEFAULT 0,
      unknown ${integer} NOT NULL DEFAULT 0, missed ${integer} NOT NULL DEFAULT 0,
      limited ${integer} NOT NULL DEFAULT 0, PRIMARY KEY (account_id, day))${clustered}`,
    `CREATE TABLE usage (${account}, month ${integer} NOT NULL, used ${integer} NOT NULL,
      PRIMARY KEY (account_id, month))${clustered}`,
    `CREATE TABLE runtime_stages (name ${text} PRIMARY KEY NOT NULL, stage ${text} NOT NULL,
      seen_at ${instant} NOT NULL)${clustered}`,
    `CREATE TABLE installation (key ${text} PRIMARY KEY NOT NULL, value ${text} NOT NULL)${clustered}`,
    ...['results', 'exchanges'].flatMap((table) => dialect.otherDays(table)),
    ...['schedules', 'runs', 'check_states', 'deliveries', 'passing_exchanges', 'run_counts', 'usage'].flatMap(
      (table) => dialect.churning(table),
    ),
  ];
}

type Types = Dialect['types'];

function resourceTables(
  { id, text, integer, code, instant }: Types,
  account: string,
  clustered: string,
  strict: string,
) {
  const stamps = `created_at ${instant} NOT NULL, updated_at ${instant}`;
  return [
    `CREATE TABLE checks (${account}, id ${id} NOT NULL, check_type ${text} NOT NULL, name ${text} NOT NULL,
      activated ${code} NOT NULL, muted ${code} NOT NULL, group_id ${integer}, tags ${text} NOT NULL,
      definition ${text} NOT NULL, ${stamps}, PRIMARY KEY (account_id, id))${strict}`,
    'CREATE INDEX checks_by_group ON checks (account_id, group_id)',
    'CREATE INDEX checks_by_age ON checks (account_id, created_at, id)',
    `CREATE TABLE check_tags (${account}, tag ${text} NOT NULL, check_id ${id} NOT NULL,
      PRIMARY KEY (account_id, tag, check_id))${clustered}`,
    `CREATE TABLE check_groups (${account}, id ${integer} NOT NULL, name ${text} NOT NULL,
      activated ${code} NOT NULL, muted ${code} NOT NULL, tags ${text} NOT NULL, definition ${text} NOT NULL,
      ${stamps}, PRIMARY KEY (account_id, id))${strict}`,
    `CREATE TABLE alert_channels (${account}, id ${integer} NOT NULL, type ${text} NOT NULL, config ${text} NOT NULL,
      secret ${text}, previous_secret ${text}, previous_secret_until ${instant}, send_recovery ${code} NOT NULL,
      send_failure ${code} NOT NULL, send_degraded ${code} NOT NULL, ssl_expiry ${code} NOT NULL,
      ssl_expiry_threshold ${integer} NOT NULL, auto_subscribe ${code} NOT NULL,
      exhausted_in_a_row ${integer} NOT NULL DEFAULT 0, failing_since ${instant}, ${stamps},
      PRIMARY KEY (account_id, id))${strict}`,
    `CREATE TABLE subscriptions (${account}, id ${integer} NOT NULL, alert_channel_id ${integer} NOT NULL,
      check_id ${id}, group_id ${integer}, activated ${code} NOT NULL, PRIMARY KEY (account_id, id),
      UNIQUE (account_id, check_id, alert_channel_id), UNIQUE (account_id, group_id, alert_channel_id))${strict}`,
    'CREATE INDEX subscriptions_by_channel ON subscriptions (account_id, alert_channel_id)',
    `CREATE TABLE variables (${account}, key ${text} NOT NULL, value ${text} NOT NULL, locked ${code} NOT NULL,
      secret ${code} NOT NULL, ${stamps}, PRIMARY KEY (account_id, key))${strict}`,
    `CREATE TABLE triggers (${account}, id ${integer} NOT NULL, token ${text} NOT NULL UNIQUE, group_id ${integer},
      check_id ${id}, created_at ${instant} NOT NULL, called_at ${instant}, updated_at ${instant},
      PRIMARY KEY (account_id, id), UNIQUE (account_id, group_id), UNIQUE (account_id, check_id))${strict}`,
    `CREATE TABLE idempotency_keys (${account}, key ${text} NOT NULL, operation ${text} NOT NULL,
      answer ${text} NOT NULL, created_at ${instant} NOT NULL, PRIMARY KEY (account_id, key, operation))${clustered}`,
    'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)',
  ];
}

function pathTables(dialect: Dialect, account: string) {
  const { types, clustered, strict } = dialect;
  const { id, text, integer, code, instant, bytes } = types;
  const check = `check_id ${id} NOT NULL`;
  return [
    `CREATE TABLE schedules (${account}, ${check}, next_due_at ${instant} NOT NULL, interval_ms ${integer} NOT NULL,
      phase_ms ${integer} NOT NULL, locations ${text} NOT NULL, run_parallel ${code} NOT NULL,
      turn ${integer} NOT NULL DEFAULT 0, PRIMARY KEY (account_id, check_id))${clustered}`,
    'CREATE INDEX schedules_due ON schedules (next_due_at)',
    `CREATE TABLE runs (${account}, id ${id} NOT NULL, ${check}, location ${text} NOT NULL, source ${code} NOT NULL,
      slot_at ${instant}, interval_ms ${integer}, attempt ${integer} NOT NULL, due_at ${instant} NOT NULL,
      first_started_at ${instant}, batch_id ${id}, available_at ${instant} NOT NULL, leased_by ${text},
      PRIMARY KEY (account_id, id))${clustered}`,
    'CREATE INDEX runs_available ON runs (location, available_at)',
    `CREATE TABLE results (${account}, ${check}, id ${id} NOT NULL, run_id ${id}, attempt ${integer} NOT NULL,
      outcome ${code} NOT NULL, reason ${code}, message ${text}, location ${text} NOT NULL,
      source ${code} NOT NULL, slots ${integer} NOT NULL, started_at ${instant} NOT NULL,
      duration_ms ${integer} NOT NULL, response_us ${integer}, loop_delay_ms ${integer} NOT NULL, details ${bytes},
      PRIMARY KEY (account_id, check_id, id))${clustered}${dialect.byDay('id')}`,
    `CREATE TABLE exchanges (${account}, ${check}, result_id ${id} NOT NULL, exchange ${text} NOT NULL,
      PRIMARY KEY (account_id, check_id, result_id))${strict}${dialect.byDay('result_id')}`,
    `CREATE TABLE passing_exchanges (${account}, ${check}, location ${text} NOT NULL, result_id ${id} NOT NULL,
      exchange ${text} NOT NULL, PRIMARY KEY (account_id, check_id, location))${strict}`,
    `CREATE TABLE check_states (${account}, ${check}, status ${text}, since ${instant}, position_at ${instant},
      position_started_at ${instant}, failed_in_a_row ${integer} NOT NULL, degraded_in_a_row ${integer} NOT NULL,
      failing_since ${instant}, alerted ${text}, by_location ${text}, last_result_id ${id}, last_outcome ${integer},
      last_location ${text}, last_response_us ${integer}, longest_response_us ${integer},
      shortest_response_us ${integer}, certificate_valid_to ${instant}, created_at ${instant} NOT NULL,
      updated_at ${instant} NOT NULL, PRIMARY KEY (account_id, check_id))${clustered}`,
    `CREATE TABLE told (${account}, ${check}, alert_channel_id ${integer} NOT NULL, open ${text},
      certificates ${text}, PRIMARY KEY (account_id, check_id, alert_channel_id))${clustered}`,
  ];
}

function deliveryTables(
  { id, text, integer, code, instant }: Types,
  account: string,
  clustered: string,
  strict: string,
) {
  return [
    `CREATE TABLE alerts (${account}, id ${id} NOT NULL, check_id ${id} NOT NULL, result_id ${id} NOT NULL,
      alert_type ${text} NOT NULL, check_name ${text} NOT NULL, check_type ${text} NOT NULL, location ${text} NOT NULL,
      response_us ${integer}, error ${text}, status_code ${integer}, started_at ${instant} NOT NULL,
      created_at ${instant} NOT NULL, PRIMARY KEY (account_id, id))${clustered}`,
    'CREATE INDEX alerts_by_check ON alerts (account_id, check_id, id)',
    `CREATE TABLE deliveries (${account}, id ${id} NOT NULL, alert_channel_id ${integer} NOT NULL, alert_id ${id},
      check_id ${id}, check_result_id ${id}, alert_type ${text} NOT NULL, status ${code} NOT NULL,
      attempts ${integer} NOT NULL DEFAULT 0, created_at ${instant} NOT NULL, next_attempt_at ${instant},
      leased_by ${text}, attempt_started_at ${instant}, replay_of ${id}, is_test ${code} NOT NULL DEFAULT 0,
      error ${text}, PRIMARY KEY (account_id, id))${strict}`,
    `CREATE INDEX deliveries_pending ON deliveries (account_id, alert_channel_id, next_attempt_at, id)
      WHERE status = 0`,
    `CREATE TABLE delivery_requests (${account}, delivery_id ${id} NOT NULL, request ${text} NOT NULL,
      PRIMARY KEY (account_id, delivery_id))${strict}`,
    'CREATE INDEX deliveries_by_channel ON deliveries (account_id, alert_channel_id, id)',
    `CREATE TABLE attempts (${account}, delivery_id ${id} NOT NULL, position ${integer} NOT NULL,
      number ${integer} NOT NULL, started_at ${instant} NOT NULL, duration_ms ${integer} NOT NULL, status ${code},
      error_class ${text}, error_message ${text}, next_attempt_at ${instant}, exchange ${text} NOT NULL,
      PRIMARY KEY (account_id, delivery_id, position))${strict}`,
  ];
}
