// Reads deliveries and their attempts from the database, on either engine.
import { idText } from '#store/base/codec.ts';
import type { DeliveryStatus } from '#domain/deliveries/delivery.ts';
import { deliveryStatusCodes } from '#store/base/codes.ts';
import type { RawRows } from '../../tests/support/store/raw-rows.ts';

/** An entry in the log of a delivery. Times are epoch ms. */
export interface Entry {
  readonly number: number;
  readonly startedAt: number;
  readonly durationMs: number;
  /** Status of the response; null = none. */
  readonly status: number | null;
  readonly isInterrupted: boolean;
  readonly nextAttemptAt: number | null;
}

/** A delivery with its log. */
export interface LoggedDelivery {
  readonly id: string;
  readonly channel: number;
  /** null = without a check. */
  readonly check: string | null;
  readonly status: DeliveryStatus;
  /** Attempts that count. */
  readonly attempts: number;
  readonly replayOf: string | null;
  readonly log: readonly Entry[];
}

/** An attempt whose process ended. */
export interface CutOff {
  readonly id: string;
  readonly number: number;
  readonly startedAt: number;
}

/** State of the deliveries after a process has ended. */
export interface DeliveriesState {
  /** Attempts that this process began but did not record. */
  readonly inProgress: readonly CutOff[];
  /** All attempts that were begun but not recorded. */
  readonly cutOff: readonly CutOff[];
  /** Deliveries with an attempt recorded by this process and a retry that is not due yet. */
  readonly waiting: number;
  /** Unleased due deliveries: work for the next process. */
  readonly due: number;
  /** Deliveries that have not ended. */
  readonly pending: number;
}

const pending = deliveryStatusCodes.encode('pending');
const id = (value: unknown): string => idText(value as Uint8Array);

/** @param since start of the process, epoch ms */
export function deliveriesState(rows: RawRows, since: number): DeliveriesState {
  const now = Date.now();
  const count = (sql: string, ...values: number[]): number => Number(rows.prepare(sql).get(...values)?.['n']);
  const cutOff = rows
    .prepare(`SELECT id, attempts, attempt_started_at AS at FROM deliveries
              WHERE status = ${pending} AND attempt_started_at IS NOT NULL`)
    .all()
    .map((row) => ({ id: id(row['id']), number: Number(row['attempts']) + 1, startedAt: Number(row['at']) }));
  return {
    cutOff,
    inProgress: cutOff.filter(({ startedAt }) => startedAt >= since),
    waiting: count(
      `SELECT count(*) AS n FROM deliveries d JOIN attempts a ON a.account_id = d.account_id AND a.delivery_id = d.id
       WHERE d.status = ${pending} AND d.attempt_started_at IS NULL AND a.number = d.attempts
         AND a.next_attempt_at = d.next_attempt_at AND a.started_at >= ? AND d.next_attempt_at > ?`,
      since,
      now,
    ),
    due: count(
      `SELECT count(*) AS n FROM deliveries WHERE status = ${pending} AND attempt_started_at IS NULL
         AND next_attempt_at <= ?`,
      now,
    ),
    pending: count(`SELECT count(*) AS n FROM deliveries WHERE status = ${pending}`),
  };
}

/** All deliveries with their logs. */
export function loggedDeliveries(rows: RawRows): LoggedDelivery[] {
  const attempts = rows
    .prepare(
      `SELECT delivery_id, number, started_at, duration_ms, status, error_class, next_attempt_at FROM attempts
       ORDER BY delivery_id, position`,
    )
    .all();
  const logs = Map.groupBy(attempts, (row) => id(row['delivery_id']));
  return rows
    .prepare('SELECT id, alert_channel_id, check_id, status, attempts, replay_of FROM deliveries ORDER BY id')
    .all()
    .map((row) => ({
      id: id(row['id']),
      channel: Number(row['alert_channel_id']),
      check: row['check_id'] === null ? null : id(row['check_id']),
      status: deliveryStatusCodes.decode(Number(row['status'])),
      attempts: Number(row['attempts']),
      replayOf: row['replay_of'] === null ? null : id(row['replay_of']),
      log: (logs.get(id(row['id'])) ?? []).map(entryOf),
    }));
}

function entryOf(row: Record<string, unknown>): Entry {
  const orNull = (value: unknown): number | null => (value === null ? null : Number(value));
  return {
    number: Number(row['number']),
    startedAt: Number(row['started_at']),
    durationMs: Number(row['duration_ms']),
    status: orNull(row['status']),
    isInterrupted: row['error_class'] === 'interrupted',
    nextAttemptAt: orNull(row['next_attempt_at']),
  };
}

/** Number of replays of a channel's deliveries. */
export function replaysOf(rows: RawRows, channel: number): number {
  const sql = 'SELECT count(*) AS n FROM deliveries WHERE replay_of IS NOT NULL AND alert_channel_id = ?';
  return Number(rows.prepare(sql).get(channel)?.['n']);
}
