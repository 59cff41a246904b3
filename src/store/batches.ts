// The runs that one call of a trigger started, as their verdict is made of them.
import { type SqlBool, sql } from 'kysely';
import type { Batch } from '#domain/batch.ts';
import type { Outcome } from '#domain/result.ts';
import { idBytes, idText } from './codec.ts';
import { outcomeCodes } from './codes.ts';
import type { Database } from './database.ts';

/** The final result of one run of a batch. */
export interface RunResult {
  readonly runId: string;
  readonly outcome: Outcome;
  /** ms with decimals; null when there was no answer. */
  readonly responseTimeMs: number | null;
}

/** Runs that were started together. */
export interface Batches {
  /** Whether every run has ended, or is gone with its check. */
  isClosed(batch: Batch): Promise<boolean>;
  /** Of the runs that have ended; a check that was deleted meanwhile has none. */
  results(batch: Batch): Promise<RunResult[]>;
}

const pairsAtOnce = 200;

export function createBatches({ dialect, reader }: Database): Batches {
  return {
    async isClosed(batch) {
      const ids = batch.checks.flatMap((check) => check.runIds).sort();
      const [first, last] = [ids.at(0), ids.at(-1)];
      if (first === undefined || last === undefined) return true;
      // The runs of a batch stand side by side in the key; scheduled ones of the same moment may stand among them.
      const open = await reader
        .selectFrom('runs')
        .select('id')
        .where('account_id', '=', idBytes(batch.accountId))
        .where('id', '>=', idBytes(first))
        .where('id', '<=', idBytes(last))
        .where('batch_id', '=', idBytes(batch.id))
        .limit(1)
        .executeTakeFirst();
      return open === undefined;
    },
    async results(batch) {
      const pairs = batch.checks.flatMap(({ checkId, runIds }) => runIds.map((runId) => [checkId, runId] as const));
      const results: RunResult[] = [];
      for (let start = 0; start < pairs.length; start += pairsAtOnce) {
        const values = pairs
          .slice(start, start + pairsAtOnce)
          .map(([checkId, runId]) => sql`(${dialect.idValue(idBytes(checkId))}, ${dialect.idValue(idBytes(runId))})`);
        const rows = await reader
          .selectFrom('results')
          .select(['id', 'outcome', 'response_us'])
          .where('account_id', '=', idBytes(batch.accountId))
          .where(sql<SqlBool>`(check_id, id) IN (VALUES ${sql.join(values)})`)
          .execute();
        for (const { id, outcome, response_us } of rows) {
          const responseTimeMs = response_us === null ? null : response_us / 1000;
          results.push({ runId: idText(id), outcome: outcomeCodes.decode(outcome), responseTimeMs });
        }
      }
      return results;
    },
  };
}
