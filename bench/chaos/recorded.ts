// Reads the results from the database, on either engine.
import { DatabaseSync } from 'node:sqlite';
import type { Outcome } from '#domain/results/result.ts';
import { idText, idTime } from '#store/base/codec.ts';
import { deliveryStatusCodes, outcomeCodes } from '#store/base/codes.ts';
import { openRawPostgres, type RawRows } from '../../tests/support/store/raw-rows.ts';
import { databasePath } from '../support/seed.ts';
import { channels } from './installation.ts';
import type { DeliveryStatus } from '#domain/deliveries/delivery.ts';

const groupedChannel = channels.length + 1;

/** A final result, or a series of missed slots. Times are epoch ms. */
export interface RecordedResult {
  readonly id: string;
  readonly checkId: string;
  readonly isScheduled: boolean;
  /** Whether a trigger requested it. */
  readonly isTriggered: boolean;
  /** The slot, the first slot of a series, or the time of the request if run on demand. */
  readonly at: number;
  readonly slots: number;
  readonly outcome: Outcome;
  readonly startedAt: number;
  readonly stoppedAt: number;
  /** The later of two results of a check has the greater number. */
  readonly order: number;
}

/** An alert of a channel that groups alerts in storms and while a check flaps. */
export interface GroupedAlert {
  readonly id: string;
  readonly resultId: string;
  readonly isFailure: boolean;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Deliveries of this alert to the channel, and to the first one, which receives every alert. */
  readonly deliveries: number;
  readonly everyAlert: number;
  /** Of the delivery, or of the one that it is in. */
  readonly status: string | null;
  /** Whether it waited because its check flapped. */
  readonly isHeld: boolean;
  /** First attempt, epoch ms; null = none. */
  readonly attemptedAt: number | null;
}

/** A view of the database, during or after a run of the service. */
export interface Recorded extends Disposable {
  /** All final results, by slot. */
  results(): RecordedResult[];
  /** Currently committed results: id and outcome. */
  committed(): Map<string, Outcome>;
  /** Slots of open scheduled runs, and the total number of open runs. */
  openSlots(): number[];
  /** Deliveries that have not ended. */
  pending(): number;
  /** Alerts with their deliveries to the channel that groups them. */
  grouped(): GroupedAlert[];
  /** Deliveries of the other channels by id: creation, final status, and number of interrupted attempts. */
  deliveries(): Map<string, { createdAt: number; status: string; interrupted: number }>;
}

/** The SQLite file in a data folder. A single process records in the order in which results end. */
export function openRecordedFile(dataDir: string): Recorded {
  const file = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: 5000 });
  return recordedIn(file, () => file.close(), null);
}

/** @param order order of recording by result id */
export function openRecordedPostgres(url: string, order: () => ReadonlyMap<string, number>): Recorded {
  const db = openRawPostgres(url);
  return recordedIn(db, () => db.close(), order);
}

function recordedIn(rows: RawRows, close: () => void, orderOf: (() => ReadonlyMap<string, number>) | null): Recorded {
  return {
    results() {
      const order = orderOf?.();
      return rows
        .prepare(
          `SELECT id, check_id, source, slots, outcome, started_at, duration_ms FROM results
           WHERE run_id IS NULL ORDER BY check_id, id`,
        )
        .all()
        .map((row) => {
          const stoppedAt = Number(row['started_at']) + Number(row['duration_ms']);
          return {
            id: id(row['id']),
            checkId: id(row['check_id']),
            isScheduled: row['source'] === 0,
            isTriggered: row['source'] === 1,
            at: idTime(row['id'] as Uint8Array),
            slots: Number(row['slots']),
            outcome: outcomeCodes.decode(Number(row['outcome'])),
            startedAt: Number(row['started_at']),
            stoppedAt,
            order: order?.get(id(row['id'])) ?? stoppedAt,
          };
        });
    },
    committed() {
      const found = rows.prepare('SELECT id, outcome FROM results').all();
      return new Map(found.map((row) => [id(row['id']), outcomeCodes.decode(Number(row['outcome']))]));
    },
    openSlots: () =>
      rows
        .prepare('SELECT slot_at AS at FROM runs')
        .all()
        .map((row) => Number(row['at'])),
    pending: () => Number(rows.prepare('SELECT count(*) AS n FROM deliveries WHERE status = 0').get()?.['n']),
    deliveries() {
      const found = rows
        .prepare(
          `SELECT d.id, d.created_at, d.status, count(a.position) AS interrupted FROM deliveries d
           LEFT JOIN attempts a ON a.account_id = d.account_id AND a.delivery_id = d.id AND a.error_class = 'interrupted'
           WHERE d.alert_channel_id <> ${groupedChannel}
           GROUP BY d.account_id, d.id`,
        )
        .all();
      return new Map(
        found.map((row) => [
          id(row['id']),
          {
            createdAt: Number(row['created_at']),
            status: deliveryStatusCodes.decode(Number(row['status'])),
            interrupted: Number(row['interrupted']),
          },
        ]),
      );
    },
    grouped: () => groupedAlerts(rows),
    [Symbol.dispose]: close,
  };
}

function groupedAlerts(rows: RawRows): GroupedAlert[] {
  const deliveries = (channel: number): string =>
    `SELECT count(*) FROM deliveries n WHERE n.account_id = a.account_id AND n.alert_id = a.id AND n.alert_channel_id = ${channel}`;
  return rows
    .prepare(
      `SELECT a.id, a.result_id, a.alert_type, a.created_at, (${deliveries(groupedChannel)}) AS people, (${deliveries(1)}) AS machines,
         coalesce(g.status, d.status) AS status, CASE WHEN g.is_digest = 0 THEN 1 ELSE 0 END AS is_held,
         (SELECT min(t.started_at) FROM attempts t
          WHERE t.account_id = a.account_id AND t.delivery_id = coalesce(g.id, d.id)) AS attempted_at
       FROM alerts a
       LEFT JOIN deliveries d ON d.account_id = a.account_id AND d.alert_id = a.id AND d.alert_channel_id = ${groupedChannel}
       LEFT JOIN deliveries g ON g.account_id = d.account_id AND g.id = d.digest_id`,
    )
    .all()
    .map((row) => ({
      id: idText(row['id'] as Uint8Array),
      resultId: idText(row['result_id'] as Uint8Array),
      isFailure: row['alert_type'] === 'ALERT_FAILURE',
      createdAt: Number(row['created_at']),
      deliveries: Number(row['people']),
      everyAlert: Number(row['machines']),
      status: row['status'] === null ? null : deliveryStatusCodes.decode(Number(row['status'])),
      isHeld: Number(row['is_held']) === 1,
      attemptedAt: row['attempted_at'] === null ? null : Number(row['attempted_at']),
    }));
}

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
