// Reads the results from the database, on either engine.
import { DatabaseSync } from 'node:sqlite';
import type { Outcome } from '#domain/results/result.ts';
import { idText, idTime } from '#store/base/codec.ts';
import { deliveryStatusCodes, outcomeCodes } from '#store/base/codes.ts';
import { openRawPostgres, type RawRows } from '../../tests/support/store/raw-rows.ts';
import { databasePath } from '../support/seed.ts';
import { channels } from './installation.ts';

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
  const id = (value: unknown): string => idText(value as Uint8Array);
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
