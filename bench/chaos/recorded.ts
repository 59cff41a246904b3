// What the database holds in the end, read from the file itself.
import { DatabaseSync } from 'node:sqlite';
import type { Outcome } from '#domain/result.ts';
import { idText, idTime } from '#store/codec.ts';
import { deliveryStatusCodes, outcomeCodes } from '#store/codes.ts';
import { databasePath } from '../support/seed.ts';

/** A final result, or a stretch of slots that were not run. Instants are epoch ms. */
export interface RecordedResult {
  readonly id: string;
  readonly checkId: string;
  readonly isScheduled: boolean;
  /** The slot, or the first one of a stretch; when it was asked for, on demand. */
  readonly at: number;
  readonly slots: number;
  readonly outcome: Outcome;
  readonly startedAt: number;
  readonly stoppedAt: number;
}

/** A read-only view of the database, beside the service or after it. */
export interface Recorded extends Disposable {
  /** Every final result, by slot. */
  results(): RecordedResult[];
  /** Results that are committed now: id and outcome. */
  committed(): Map<string, Outcome>;
  /** Slots of scheduled runs that are still open, and how many runs there are in all. */
  openSlots(): number[];
  /** Deliveries that have not ended. */
  pending(): number;
  /** Deliveries by id: when they were made, how they ended, how many of their attempts were interrupted. */
  deliveries(): Map<string, { createdAt: number; status: string; interrupted: number }>;
}

export function openRecorded(dataDir: string): Recorded {
  const database = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: 5000 });
  const id = (value: unknown): string => idText(value as Uint8Array);
  return {
    results: () =>
      database
        .prepare('SELECT * FROM results WHERE run_id IS NULL ORDER BY check_id, id')
        .all()
        .map((row) => ({
          id: id(row['id']),
          checkId: id(row['check_id']),
          isScheduled: row['source'] === 0,
          at: idTime(row['id'] as Uint8Array),
          slots: Number(row['slots']),
          outcome: outcomeCodes.decode(Number(row['outcome'])),
          startedAt: Number(row['started_at']),
          stoppedAt: Number(row['started_at']) + Number(row['duration_ms']),
        })),
    committed: () => {
      const rows = database.prepare('SELECT id, outcome FROM results').all();
      return new Map(rows.map((row) => [id(row['id']), outcomeCodes.decode(Number(row['outcome']))]));
    },
    openSlots: () =>
      database
        .prepare('SELECT slot_at AS at FROM runs')
        .all()
        .map((row) => Number(row['at'])),
    pending: () => Number(database.prepare('SELECT count(*) AS n FROM deliveries WHERE status = 0').get()?.['n']),
    deliveries: () => {
      const rows = database
        .prepare(
          `SELECT d.id, d.created_at, d.status, count(a.position) AS interrupted FROM deliveries d
           LEFT JOIN attempts a ON a.account_id = d.account_id AND a.delivery_id = d.id AND a.error_class = 'interrupted'
           GROUP BY d.account_id, d.id`,
        )
        .all();
      return new Map(
        rows.map((row) => [
          id(row['id']),
          {
            createdAt: Number(row['created_at']),
            status: deliveryStatusCodes.decode(Number(row['status'])),
            interrupted: Number(row['interrupted']),
          },
        ]),
      );
    },
    [Symbol.dispose]: () => database.close(),
  };
}
