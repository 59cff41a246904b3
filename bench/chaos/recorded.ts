// Reads the results from the database, on either engine.
import { DatabaseSync } from 'node:sqlite';
import type { Outcome } from '#domain/results/result.ts';
import { idText, idTime } from '#store/base/codec.ts';
import { deliveryStatusCodes, outcomeCodes } from '#store/base/codes.ts';
import { openRawPostgres, type RawRows } from '../../tests/support/store/raw-rows.ts';
import { databasePath } from '../support/seed.ts';

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
  /** Deliveries by id: creation, final status, and number of interrupted attempts. */
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
    [Symbol.dispose]: close,
  };
}
