// Statements that touch account-owned rows without naming the account, each with the reason why it may.

/** A mention of a table that needs no account, in statements of a certain look. */
export interface AccountException {
  /** null = of any table, which holds for the statements of that one file of tests only. */
  readonly table: string | null;
  /** In small letters, without quotes, with single spaces, `?` for each parameter and for each list of them. */
  readonly statement: RegExp;
  readonly why: string;
  /** The file of tests/store/ in which it is issued. */
  readonly seenIn: string;
  /** Where only one engine issues it. */
  readonly engine?: 'SQLite' | 'PostgreSQL';
}

const claim = 'a claim takes what is due first, in every account';
const rest = 'the step sleeps until the next is due, in every account';
const clock = 'the clock of the machine was set, for everybody';
const start = 'a process before this one held it, in every account';
const old = 'upkeep removes what is old, in every account';
const ofKey = 'the accounts of a key are what is asked for; the key is known by its id, found by its hash';
const rollUp = 'roll-ups are made hour by hour, of every check there is';
const copy = 'an installation is copied whole, a table at a time';
const kept = 'templates of all channels are kept ready, in every account';
const reported = 'failing channels are reported, in every account';
const due = 'reports are sent when they are due, in every account';
const storms = 'storms are ended and digests sent, in every account';
const muted = 'mutes until recovery end, in every account';
const settled = 'whether a gap is recorded is asked for the whole installation';
const figure = 'a metric, or a notice of the operator, is about the whole installation';

export const accountExceptions: readonly AccountException[] = [
  { table: null, statement: /^select \d as found from \w+ where /, why: settled, seenIn: 'account-reports' },
  { table: null, statement: /count\(distinct [^)]*account_id\)/, why: figure, seenIn: 'own-notices' },
  { table: 'accounts', statement: /^select id from accounts order by id$/, why: figure, seenIn: 'held-deliveries' },
  { table: 'accounts', statement: /^select id from accounts order by id limit \?$/, why: old, seenIn: 'audit-log' },
  { table: 'alert_storms', statement: /^select account_id from alert_storms/, why: storms, seenIn: 'alert-storms' },
  { table: 'alert_channels', statement: /where \(report_at <= \? or /, why: due, seenIn: 'account-reports' },
  { table: 'alert_channels', statement: /where failing_news is not null/, why: reported, seenIn: 'failing-channels' },
  {
    table: 'trigger_calls',
    statement: /^delete from trigger_calls where called_at </,
    why: old,
    seenIn: 'trigger-calls',
  },
  { table: 'check_trials', statement: /over \(partition by account_id/, why: claim, seenIn: 'check-trials' },
  { table: 'check_trials', statement: /^delete .* where created_at </, why: old, seenIn: 'check-trials' },
  { table: 'trial_slices', statement: /^delete .* where created_at </, why: old, seenIn: 'check-trials' },
  { table: 'test_runs', statement: /over \(partition by account_id/, why: claim, seenIn: 'test-sessions' },
  { table: 'test_sessions', statement: /^select account_id, id from .* limit \?$/, why: old, seenIn: 'test-sessions' },
  { table: 'check_sessions', statement: /^select account_id, id from .* limit/, why: old, seenIn: 'test-sessions' },
  { table: 'script_files', statement: /^select account_id .* used_at < /, why: old, seenIn: 'script-files' },
  { table: 'check_changes', statement: /where ended_at is null order by/, why: claim, seenIn: 'check-changes' },
  { table: 'check_changes', statement: /^select .* where ended_at </, why: old, seenIn: 'check-changes' },
  { table: 'check_groups', statement: /from check_groups where muted_from is not null/, why: muted, seenIn: 'mutes' },
  { table: 'first_runs', statement: /from first_runs order by due_at limit \?$/, why: claim, seenIn: 'first-runs' },
  { table: 'heartbeats', statement: /from heartbeats where due_at <= \? order by/, why: claim, seenIn: 'heartbeats' },
  {
    table: 'heartbeats',
    statement: /^select is_active from heartbeats limit \?$/,
    why: 'signs of who receives pings are of the whole installation, and written only where there is a heartbeat',
    seenIn: 'heartbeat-gaps',
  },
  {
    table: 'heartbeats',
    statement: /^lock table heartbeats/,
    why: 'pings wait while a change of settings that lost against them is made',
    seenIn: 'heartbeats',
    engine: 'PostgreSQL',
  },
  {
    table: 'pings',
    statement: /^select account_id, check_id from pings where account_id > \? order by account_id, check_id limit 1$/,
    why: old,
    seenIn: 'heartbeats',
    engine: 'SQLite',
  },
  {
    table: 'heartbeats',
    statement: /^select min\(due_at\) as at from heartbeats$/,
    why: rest,
    seenIn: 'heartbeats',
    engine: 'SQLite',
  },
  {
    table: 'heartbeats',
    statement: /^select due_at as at from heartbeats where due_at > \?/,
    why: rest,
    seenIn: 'heartbeats',
    engine: 'PostgreSQL',
  },
  {
    table: 'heartbeats',
    statement: /^select \* from heartbeats where token = /,
    why: 'a ping has only the token, which identifies the account',
    seenIn: 'heartbeats',
  },
  {
    table: 'heartbeats',
    statement: /^update heartbeats set timer_at = .* where timer_at/,
    why: clock,
    seenIn: 'heartbeats',
  },
  {
    table: 'waiting_pings',
    statement: /^select 1 from waiting_pings limit 1$/,
    why: claim,
    seenIn: 'heartbeats',
    engine: 'SQLite',
  },
  {
    table: 'waiting_pings',
    statement: /^update waiting_pings set received_at = /,
    why: clock,
    seenIn: 'heartbeats',
  },
  ...['check_states', 'notified'].map((table) => ({
    table,
    statement: /^select k\.account_id, k\.check_id, k\.escalates_at, /,
    why: 'states with a due alert, a waiting channel, or that flap, are evaluated, in every account',
    seenIn: 'judge-states',
  })),
  { table: 'schedules', statement: /from schedules where next_due_at <= \?/, why: claim, seenIn: 'path-runs' },
  { table: 'schedules', statement: /^select min\(next_due_at\)/, why: rest, seenIn: 'path-runs', engine: 'SQLite' },
  {
    table: 'schedules',
    statement: /^select next_due_at as at from schedules where next_due_at > \?/,
    why: rest,
    seenIn: 'path-runs',
    engine: 'PostgreSQL',
  },
  {
    table: 'schedules',
    statement: /from schedules where next_due_at = \d+ and interval_ms = \?1? and \(phase_ms/,
    why: claim,
    seenIn: 'path-runs',
  },
  {
    table: 'schedules',
    statement: /^select.*\( ?select phase_ms from schedules where next_due_at = \d+/,
    why: rest,
    seenIn: 'path-runs',
  },
  {
    table: 'runs',
    statement: /from runs where location = \? and available_at <= \?/,
    why: claim,
    seenIn: 'path-runs',
    engine: 'SQLite',
  },
  {
    table: 'runs',
    statement:
      /update runs set .* where ctid = any\(array\( ?select ctid from runs where (location = \? and due_at >= \? and |available_at <= \? and ctid = any)/,
    why: claim,
    seenIn: 'path-runs',
    engine: 'PostgreSQL',
  },
  {
    table: 'runs',
    statement: /^select available_at as at from runs/,
    why: rest,
    seenIn: 'path-runs',
    engine: 'SQLite',
  },
  {
    table: 'runs',
    statement: /^select .* \(select due_at from runs where location = \? and due_at > \? order by due_at limit 1\)/,
    why: rest,
    seenIn: 'path-runs',
    engine: 'PostgreSQL',
  },
  {
    table: 'deliveries',
    statement: /from deliveries where status = 0 and account_id > \? order by account_id, alert_channel_id/,
    why: claim,
    seenIn: 'path-deliveries',
    engine: 'SQLite',
  },
  {
    table: 'deliveries',
    statement: /^with recursive lane as \( \(select account_id, alert_channel_id, next_attempt_at from deliveries/,
    why: claim,
    seenIn: 'path-deliveries',
    engine: 'PostgreSQL',
  },
  {
    table: 'runs',
    statement: /^update runs .* where leased_by is not null$/,
    why: start,
    seenIn: 'path-runs',
    engine: 'SQLite',
  },
  {
    table: 'deliveries',
    statement: /^update deliveries .* where leased_by is not null$/,
    why: start,
    seenIn: 'path-deliveries',
    engine: 'SQLite',
  },
  {
    table: 'deliveries',
    statement: /^with left_behind as \(select d.account_id, d.id from deliveries d where d.leased_by is not null/,
    why: claim,
    seenIn: 'path-deliveries',
    engine: 'PostgreSQL',
  },
  {
    table: 'deliveries',
    statement:
      /^update deliveries set next_attempt_at = \? where status = 0 and attempts <= \? and next_attempt_at > \?$/,
    why: clock,
    seenIn: 'path-clock',
  },
  { table: 'notified', statement: /^update notified set escalates_at = /, why: clock, seenIn: 'path-clock' },
  { table: 'alert_channels', statement: /requested_until (> \?|is not null)$/, why: clock, seenIn: 'requested-wait' },
  { table: 'schedules', statement: /where next_due_at > \? \+ interval_ms/, why: clock, seenIn: 'path-clock' },
  { table: 'check_states', statement: /from check_states where position_at > \?/, why: clock, seenIn: 'path-clock' },
  {
    table: 'check_states',
    statement: /^update check_states set revision = revision \+ 1, since/,
    why: clock,
    seenIn: 'path-clock',
  },
  {
    table: 'runs',
    statement: /^update runs set (due_at = due_at \+ \?, )?available_at = available_at \+/,
    why: clock,
    seenIn: 'path-clock',
  },
  {
    table: 'runs',
    statement: /^update runs set due_at = case when due_at > \? then .* where available_at > \?$/,
    why: clock,
    seenIn: 'path-clock',
    engine: 'PostgreSQL',
  },
  {
    table: 'deliveries',
    statement: /^update deliveries set next_attempt_at = next_attempt_at \+/,
    why: clock,
    seenIn: 'path-clock',
  },
  {
    table: 'accounts',
    statement: /^select id from accounts where id > \? order by id limit \?$/,
    why: old,
    seenIn: 'retention',
    engine: 'SQLite',
  },
  {
    table: 'results',
    statement: /^select account_id, check_id from results where account_id > \? order by account_id, check_id limit 1$/,
    why: old,
    seenIn: 'retention',
    engine: 'SQLite',
  },
  {
    table: 'accounts',
    statement:
      /from accounts a cross join lateral \( select account_id, id from \w+ where account_id = a\.id and id < \?/,
    why: old,
    seenIn: 'retention',
    engine: 'PostgreSQL',
  },
  {
    table: 'results_other',
    statement: /^delete from results_other where ctid = any/,
    why: old,
    seenIn: 'retention',
    engine: 'PostgreSQL',
  },
  {
    table: 'pings_other',
    statement: /^delete from pings_other where ctid = any/,
    why: old,
    seenIn: 'retention',
    engine: 'PostgreSQL',
  },
  {
    table: 'asset_parts_other',
    statement: /^delete from asset_parts_other where ctid = any/,
    why: old,
    seenIn: 'retention',
    engine: 'PostgreSQL',
  },
  {
    table: 'result_assets_other',
    statement: /^delete from result_assets_other where ctid = any/,
    why: old,
    seenIn: 'retention',
    engine: 'PostgreSQL',
  },
  {
    table: 'exchanges_other',
    statement: /^delete from exchanges_other where ctid = any/,
    why: old,
    seenIn: 'retention',
    engine: 'PostgreSQL',
  },
  {
    table: 'idempotency_keys',
    statement: /^delete from idempotency_keys where .* from idempotency_keys where created_at < \?/,
    why: old,
    seenIn: 'retention',
  },
  {
    table: 'accounts',
    statement: /^select id from accounts limit \?$/,
    why: 'is there any account?',
    seenIn: 'api-keys',
  },
  ...(
    [
      ['accounts', /^select id from accounts order by created_at, id limit \?$/, 'a new operator owns the oldest'],
      ['memberships', /^select account_id, role from memberships where user_id = \?/, 'accounts of one person'],
      ['invites', /^select \* from invites where hash = \?/, 'the token is the right to use it'],
    ] as const
  ).map(([table, statement, why]) => ({ table, statement, why, seenIn: 'people' })),
  {
    table: 'memberships',
    statement: /^delete from (users|sessions|identities) where \w+ not in \(select user_id from memberships\)$/,
    why: 'a person goes with their last account',
    seenIn: 'copy-account',
  },
  { table: 'api_key_accounts', statement: /where api_key_id in \(\?\) order by/, why: ofKey, seenIn: 'api-keys' },
  ...[
    /^select max\(position\) as last from api_key_accounts where/,
    /^delete from api_keys where id = \? and not exists/,
  ].map((statement) => ({ table: 'api_key_accounts', statement, why: ofKey, seenIn: 'api-keys' })),
  {
    table: 'triggers',
    statement: /^select \* from triggers where token = \?$/,
    why: 'who calls by a token names no account: the token says whose it is',
    seenIn: 'triggers',
  },
  { table: 'checks', statement: /^select min\(created_at\) as at from checks$/, why: rollUp, seenIn: 'roll-ups' },
  {
    table: 'checks',
    statement: /^select account_id as accountid, id as checkid from checks where .* order by account_id, id limit \?/,
    why: rollUp,
    seenIn: 'roll-ups',
  },
  { table: 'late_hours', statement: /from late_hours l .*where l\.start_at < \?/, why: rollUp, seenIn: 'roll-ups' },
  { table: 'late_hours', statement: /^select min\(start_at\) as at from late_hours$/, why: rollUp, seenIn: 'roll-ups' },
  {
    table: 'checks',
    statement: /from late_hours l left join checks c on c\.account_id = l\.account_id and c\.id = l\.check_id/,
    why: rollUp,
    seenIn: 'roll-ups',
    engine: 'SQLite',
  },
  { table: null, statement: /^select count\(\*\) as n from \w+$/, why: copy, seenIn: 'move' },
  {
    table: null,
    statement: /^select [\w, ]+ from \w+( where \([\w, ]+\) > \(\?\))? order by [\w, ]+ limit (\d+|\?)$/,
    why: copy,
    seenIn: 'move',
  },
  { table: null, statement: /^(delete from|truncate) \w+$/, why: copy, seenIn: 'move' },
  {
    table: 'api_key_accounts',
    statement: /^delete from api_keys where is_operator is null and id in \(select api_key_id from api_key_accounts/,
    why: ofKey,
    seenIn: 'copy-account',
  },
  { table: 'accounts', statement: /^select id from accounts$/, why: figure, seenIn: 'figures' },
  { table: 'account_counts', statement: /^select account_id, hour from account_counts/, why: old, seenIn: 'ledger' },
  {
    table: 'runs',
    statement: /^with recursive places \(location\) as \( ?select min\(location\) from runs union all/,
    why: figure,
    seenIn: 'figures',
  },
  { table: 'deliveries', statement: /^select count\(\*\) as pending from deliveries/, why: figure, seenIn: 'figures' },
  {
    table: 'deliveries',
    statement: /^select min\(case when delivery\.attempt_started_at .* from \(select account_id, id from deliveries/,
    why: figure,
    seenIn: 'figures',
  },
  { table: 'heartbeats', statement: /^select min\(due_at\) as at from heartbeats/, why: figure, seenIn: 'figures' },
  { table: 'alert_channels', statement: /^select count\(\*\) as failing from/, why: figure, seenIn: 'figures' },
  ...['check_states', 'checks'].map((table) => ({
    table,
    statement: /^select checks\.account_id, .* from check_states/,
    why: figure,
    seenIn: 'figures',
  })),
  ...[
    /from alert_channels (where \(account_id > \? or \(account_id = \? and id > \?\)\) )?order by account_id, id limit \?$/,
    /from alert_channels where coalesce\(updated_at, created_at\) >= \? order by coalesce/,
  ].map((statement) => ({ table: 'alert_channels', statement, why: kept, seenIn: 'channel-configs' })),
  {
    table: 'accounts',
    statement: /^select \* from accounts order by created_at, id$/,
    why: 'a runtime is tried with the checks of all accounts, by who runs the installation',
    seenIn: 'read-contexts',
  },
];
