// Maps heartbeats and pings to rows.
import type { Heartbeat, JudgedPing, MissedDeadline } from '#domain/checks/heartbeat.ts';
import { newIdAt } from '#lib/id.ts';
import { flag, idBytes, idText } from '../base/codec.ts';
import { pingSignalCodes, pingStateCodes } from '../base/codes.ts';
import type { HeartbeatsTable, WaitingPingsTable } from '../base/tables/heartbeat-tables.ts';

/** A ping to be evaluated. Times are epoch ms, durations ms. */
export interface WaitingPing extends JudgedPing {
  /** Also the ID of its result. */
  readonly id: string;
  /** Period that its result covers; null = none. */
  readonly intervalMs: number | null;
  /** Not null = not a ping, but a missed deadline found by a later ping. */
  readonly missed: MissedDeadline | null;
}

export function heartbeatOf(row: Omit<HeartbeatsTable, 'token'>): Heartbeat {
  return {
    accountId: idText(row.account_id),
    checkId: idText(row.check_id),
    isActive: row.is_active === 1,
    periodMs: row.period_ms,
    graceMs: row.grace_ms,
    dueAt: row.due_at,
    timerAt: row.timer_at,
    pingedAt: row.pinged_at,
    startedAt: row.started_at,
    resultAt: row.result_at,
    isPassing: row.is_passing === 1,
    isExcused: row.is_excused === 1,
  };
}

/** How pings and evaluation change the row of a heartbeat. */
export const heartbeatUpdate = {
  table: 'heartbeats',
  keys: ['account_id', 'check_id'],
  set: ['due_at', 'timer_at', 'pinged_at', 'started_at', 'result_at', 'is_passing', 'is_excused'],
} as const;

/** These columns of a heartbeat, with its key. */
export function movedRow(heartbeat: Heartbeat) {
  return {
    ...keyColumns(heartbeat),
    due_at: heartbeat.dueAt,
    timer_at: heartbeat.timerAt,
    pinged_at: heartbeat.pingedAt,
    started_at: heartbeat.startedAt,
    result_at: heartbeat.resultAt,
    is_passing: flag(heartbeat.isPassing),
    is_excused: flag(heartbeat.isExcused),
  } satisfies Partial<HeartbeatsTable>;
}

export function waitingPingOf(row: WaitingPingsTable): WaitingPing {
  return {
    id: idText(row.id),
    signal: pingSignalCodes.decode(row.signal),
    exitCode: row.exit_code,
    state: pingStateCodes.decode(row.state),
    method: row.method,
    source: row.source,
    userAgent: row.user_agent,
    at: row.received_at,
    isFailure: row.is_failure === 1,
    intervalMs: row.interval_ms,
    tookMs: row.took_ms,
    note: row.note,
    missed: missedOf(row),
  };
}

function missedOf({ signal, received_at, interval_ms, took_ms, exit_code }: WaitingPingsTable): MissedDeadline | null {
  if (pingSignalCodes.decode(signal) !== 'missing') return null;
  return { at: received_at, intervalMs: interval_ms ?? 0, expectedMs: took_ms ?? 0, wasExcused: exit_code === 1 };
}

/** A missed deadline found by a late ping, as a waiting row before that of the ping. */
export function missedRow(
  key: Pick<Heartbeat, 'accountId' | 'checkId'>,
  { at, intervalMs, expectedMs, wasExcused }: MissedDeadline,
): WaitingPingsTable {
  return {
    ...keyColumns(key),
    id: idBytes(newIdAt(at)),
    signal: pingSignalCodes.encode('missing'),
    exit_code: wasExcused ? 1 : 0,
    state: pingStateCodes.encode('FAILING'),
    method: '',
    source: null,
    user_agent: null,
    received_at: at,
    is_failure: flag(true),
    interval_ms: intervalMs,
    took_ms: expectedMs,
    note: null,
  };
}

/** The key of a heartbeat, as text. */
export function heartbeatKey({ accountId, checkId }: Pick<Heartbeat, 'accountId' | 'checkId'>): string {
  return accountId + checkId;
}

/** The same as columns. */
export function keyColumns({ accountId, checkId }: Pick<Heartbeat, 'accountId' | 'checkId'>) {
  return { account_id: idBytes(accountId), check_id: idBytes(checkId) };
}
