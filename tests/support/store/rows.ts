// Rows put straight into a test's database, in the shape that the rest of the product writes them.
import type { JsonValue } from '#domain/json.ts';
import type { Outcome, Reason } from '#domain/results/result.ts';
import { derivedId, newId } from '#lib/id.ts';
import { idBytes, json } from '#store/base/codec.ts';
import { packed } from '#store/base/packed.ts';
import { deliveryStatusCodes, outcomeCodes, reasonCodes } from '#store/base/codes.ts';
import type { DeliveryStatus } from '#domain/deliveries/delivery.ts';
import type { Cell, RawRows } from './raw-rows.ts';

/** Inserts one row; the names are columns. */
export function insertRow(raw: RawRows, table: string, row: Readonly<Record<string, Cell>>): void {
  const columns = Object.keys(row);
  raw
    .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
    .run(...Object.values(row));
}

/** Counts a change of an account's checks, as every transaction does that makes one. */
export function countChange(raw: RawRows, accountId: string): void {
  raw
    .prepare(
      `INSERT INTO counters (account_id, noun, last) VALUES (?, 'revision', 1)
       ON CONFLICT (account_id, noun) DO UPDATE SET last = counters.last + 1`,
    )
    .run(idBytes(accountId));
}

/** An account with a name; answers with its id. */
export function putAccount(raw: RawRows, executionLimit: number | null = null): string {
  const id = newId();
  insertRow(raw, 'accounts', { id: idBytes(id), name: 'Shop', execution_limit: executionLimit, created_at: 1 });
  return id;
}

export function putGroup(raw: RawRows, accountId: string, id: number): void {
  insertRow(raw, 'check_groups', {
    account_id: idBytes(accountId),
    id,
    name: `group ${id}`,
    activated: 1,
    muted: 0,
    tags: '[]',
    definition: '{}',
    created_at: 1,
  });
}

/** How a check differs from an activated API check without a group. */
export interface CheckRow {
  readonly name?: string;
  readonly groupId?: number;
  readonly activated?: boolean;
  readonly checkType?: string;
  readonly locations?: readonly string[];
  readonly runParallel?: boolean;
  readonly createdAt?: number;
}

/** A check and, when it is activated, its schedule; answers with its id. */
export function putCheck(raw: RawRows, accountId: string, fields: CheckRow = {}): string {
  const id = newId();
  const key = { account_id: idBytes(accountId) };
  const activated = fields.activated ?? true;
  insertRow(raw, 'checks', {
    ...key,
    id: idBytes(id),
    check_type: fields.checkType ?? 'API',
    name: fields.name ?? 'Front page',
    activated: activated ? 1 : 0,
    muted: 0,
    group_id: fields.groupId ?? null,
    tags: '[]',
    definition: '{}',
    created_at: fields.createdAt ?? 1,
  });
  if (!activated) return id;
  insertRow(raw, 'schedules', {
    ...key,
    check_id: idBytes(id),
    next_due_at: 9e15,
    interval_ms: 60_000,
    phase_ms: 0,
    locations: json(fields.locations ?? []),
    run_parallel: fields.runParallel === true ? 1 : 0,
  });
  return id;
}

/** How a result differs from a final, passed one. */
export interface ResultRow {
  readonly id?: string;
  /** Set for an attempt that was tried again. */
  readonly runId?: string;
  readonly attempt?: number;
  readonly outcome?: Outcome;
  readonly reason?: Reason;
  readonly message?: string;
  readonly location?: string;
  readonly responseUs?: number | null;
  readonly slots?: number;
  readonly details?: JsonValue;
  readonly intervalMs?: number | null;
}

/** A result of a check whose slot is `at` (epoch ms); answers with its id. */
export function putResult(
  raw: RawRows,
  accountId: string,
  checkId: string,
  at: number,
  fields: ResultRow = {},
): string {
  const id = fields.id ?? derivedId(at, checkId, fields.location ?? 'local', fields.attempt ?? 1);
  insertRow(raw, 'results', {
    account_id: idBytes(accountId),
    check_id: idBytes(checkId),
    id: idBytes(id),
    run_id: fields.runId === undefined ? null : idBytes(fields.runId),
    attempt: fields.attempt ?? 1,
    outcome: outcomeCodes.encode(fields.outcome ?? 'passed'),
    reason: fields.reason === undefined ? null : reasonCodes.encode(fields.reason),
    message: fields.message ?? null,
    location: fields.location ?? 'local',
    source: 0,
    slots: fields.slots ?? 1,
    started_at: at,
    duration_ms: 40,
    response_us: fields.responseUs === undefined ? 12_345 : fields.responseUs,
    loop_delay_ms: 0,
    details: fields.details === undefined ? null : packed(fields.details),
    interval_ms: fields.intervalMs ?? null,
  });
  return id;
}

/** An alert channel with a URL. */
export function putChannel(raw: RawRows, accountId: string, id: number, failingSince: number | null = null): void {
  insertRow(raw, 'alert_channels', {
    account_id: idBytes(accountId),
    id,
    type: 'WEBHOOK',
    config: json({ name: `hook ${id}`, url: 'http://127.0.0.1:9/hook', method: 'POST' }),
    send_recovery: 1,
    send_failure: 1,
    send_degraded: 0,
    ssl_expiry: 0,
    ssl_expiry_threshold: 30,
    auto_subscribe: 0,
    grouping: 0,
    exhausted_in_a_row: failingSince === null ? 0 : 5,
    failing_since: failingSince,
    created_at: 1,
  });
}

/** How a delivery differs from a pending one that waits for its first attempt. */
export interface DeliveryRow {
  readonly alertChannelId?: number;
  readonly checkId?: string;
  readonly checkResultId?: string;
  readonly alertId?: string;
  readonly status?: DeliveryStatus;
  readonly nextAttemptAt?: number;
  readonly leasedBy?: string;
  readonly request?: unknown;
  readonly replayOf?: string;
  readonly error?: string;
}

/** A delivery made at `at` (epoch ms); answers with its id. */
export function putDelivery(raw: RawRows, accountId: string, at: number, fields: DeliveryRow = {}): string {
  const id = derivedId(at, newId());
  const status = fields.status ?? 'pending';
  insertRow(raw, 'deliveries', {
    account_id: idBytes(accountId),
    id: idBytes(id),
    alert_channel_id: fields.alertChannelId ?? 1,
    alert_id: fields.alertId === undefined ? null : idBytes(fields.alertId),
    check_id: fields.checkId === undefined ? null : idBytes(fields.checkId),
    check_result_id: fields.checkResultId === undefined ? null : idBytes(fields.checkResultId),
    alert_type: 'ALERT_FAILURE',
    status: deliveryStatusCodes.encode(status),
    attempts: 0,
    created_at: at,
    next_attempt_at: status === 'pending' ? (fields.nextAttemptAt ?? at) : null,
    leased_by: fields.leasedBy ?? null,
    replay_of: fields.replayOf === undefined ? null : idBytes(fields.replayOf),
    error: fields.error ?? null,
  });
  if (fields.request === null) return id;
  const headers = [['x-a', 'b']];
  insertRow(raw, 'delivery_requests', {
    account_id: idBytes(accountId),
    delivery_id: idBytes(id),
    request: json(fields.request ?? { method: 'POST', url: 'http://127.0.0.1:9/hook', headers, body: '{"a":1}' }),
  });
  return id;
}

/** An alert raised at `at` (epoch ms); answers with its id. */
export function putAlert(raw: RawRows, accountId: string, checkId: string, at: number): string {
  const id = derivedId(at, newId());
  insertRow(raw, 'alerts', {
    account_id: idBytes(accountId),
    id: idBytes(id),
    check_id: idBytes(checkId),
    result_id: idBytes(newId()),
    alert_type: 'ALERT_FAILURE',
    check_name: 'Front page',
    check_type: 'API',
    location: 'local',
    response_us: 12_345,
    error: 'expected status below 400, got 500',
    status_code: 500,
    started_at: at - 250,
    created_at: at,
  });
  return id;
}

/** An incident that was opened at `at` (epoch ms), open unless it is said when it ended; answers with its id. */
export function putIncident(
  raw: RawRows,
  accountId: string,
  checkId: string,
  at: number,
  { endedAt = null }: { readonly endedAt?: number | null } = {},
): string {
  const id = derivedId(at, newId());
  insertRow(raw, 'incidents', {
    account_id: idBytes(accountId),
    id: idBytes(id),
    check_id: idBytes(checkId),
    check_name: 'Front page',
    check_type: 'API',
    kind: 'failing',
    started_at: at - 250,
    opened_at: at,
    ended_at: endedAt,
    ended_by: endedAt === null ? null : 'recovery',
    first_alert_id: idBytes(newId()),
    result_id: idBytes(newId()),
  });
  return id;
}

/** How a state differs from passing since a minute. */
export interface StateRow {
  readonly status?: 'passing' | 'degraded' | 'failing';
  readonly agoMs?: number;
  readonly verdictAgoMs?: number;
  readonly outcome?: Outcome;
  readonly responseUs?: number;
}

/** Puts the state of a check with its newest result, half a minute ago. */
export function putState(
  { raw, accountId, clock }: { readonly raw: RawRows; readonly accountId: string; readonly clock: { now(): number } },
  checkId: string,
  put: StateRow,
): void {
  const now = clock.now();
  const { status = 'passing', agoMs = 60_000, verdictAgoMs = 30_000, outcome = 'passed', responseUs = 1000 } = put;
  const message = outcome === 'failed' ? 'expected 200, got 500' : null;
  const inspect = { outcome, responseUs, ...(message !== null && { message }) };
  const id = putResult(raw, accountId, checkId, now - 30_000, inspect);
  insertRow(raw, 'check_states', {
    account_id: idBytes(accountId),
    check_id: idBytes(checkId),
    status,
    since: now - agoMs,
    position_at: now - verdictAgoMs,
    failed_in_a_row: 0,
    degraded_in_a_row: 0,
    last_result_id: idBytes(id),
    last_outcome: outcomeCodes.encode(outcome),
    last_location: 'local',
    last_response_us: responseUs,
    created_at: now,
    updated_at: now,
    revision: 1,
  });
}
