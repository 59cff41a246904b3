// Reads results from the database file while the service runs or afterwards.
import { DatabaseSync } from 'node:sqlite';
import { outcomeCodes } from '#store/base/codes.ts';
import type { Outcome } from '#domain/results/result.ts';
import { firstIdAt, idTime } from '#store/base/codec.ts';
import { databasePath } from './seed.ts';

/** A read-only view of a data folder. */
export interface ResultView extends Disposable {
  /** Runs started or given up in a span (epoch ms), by outcome. */
  startedOutcomes(from: number, to: number): Record<Outcome, number>;
  /** Slots of a span (epoch ms) by outcome. */
  outcomes(from: number, to: number): Record<Outcome, number>;
  /** Start minus slot for every run of the slots of a span, ms. */
  delays(from: number, to: number): number[];
}

export function openView(dataDir: string): ResultView {
  const database = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: 5000 });
  return {
    startedOutcomes: (from, to) => byOutcome(database, 'started_at >= ? AND started_at < ?', from, to),
    outcomes: (from, to) => byOutcome(database, 'id >= ? AND id < ?', firstIdAt(from), firstIdAt(to)),
    delays(from, to) {
      const rows = database
        .prepare(
          `SELECT id, started_at FROM results
           WHERE source = 0 AND outcome <> ? AND attempt = 1 AND id >= ? AND id < ?`,
        )
        .all(outcomeCodes.encode('missed'), firstIdAt(from), firstIdAt(to));
      return rows.map((row) => Number(row['started_at']) - idTime(row['id'] as Uint8Array));
    },
    [Symbol.dispose]: () => database.close(),
  };
}

function byOutcome(
  database: DatabaseSync,
  span: string,
  from: number | Uint8Array,
  to: number | Uint8Array,
): Record<Outcome, number> {
  const counted = { passed: 0, degraded: 0, failed: 0, unknown: 0, missed: 0 };
  const rows = database
    .prepare(
      `SELECT outcome, sum(slots) AS n FROM results WHERE run_id IS NULL AND source = 0 AND ${span} GROUP BY outcome`,
    )
    .all(from, to);
  for (const row of rows) counted[outcomeCodes.decode(Number(row['outcome']))] = Number(row['n']);
  return counted;
}
