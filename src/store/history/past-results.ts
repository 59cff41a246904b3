// Reads the results of a check that can raise or end an alert: those of hours whose roll-up is not all passing, and of
// the next hour with results (docs/decisions/0143).
import { sql } from 'kysely';
import type { PastResult } from '#domain/backtests/backtest.ts';
import { hourMs, hourOf } from '#domain/results/roll-up.ts';
import { firstIdAt, type IdBytes, idBytes, idText, idTime } from '../base/codec.ts';
import { outcomeCodes, reasonCodes, sourceCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import { findFact } from '../base/installation-fact.ts';
import { responsesOf } from '../base/response-bytes.ts';
import { findRows, selectRows } from '../base/rows.ts';
import { breathe } from '../base/slices.ts';
import { readProgress, readResultsFrom } from '../roll-ups/roll-up-progress.ts';
import { spans } from './roll-up-rows.ts';

/** A result with what its limits on response time decided. */
export interface StoredPastResult extends PastResult {
  readonly responseTimeMs: number | null;
  /** Whether only its response time decided the outcome. */
  readonly isSlow: boolean;
}

/** What to read of a check. Instants are epoch ms. */
export interface PastQuestion {
  readonly from: number;
  readonly to: number;
  /** Also hours with a passing response slower than this, ms; null = none. */
  readonly slowerThanMs: number | null;
  /** Most results to read. */
  readonly max: number;
}

/** Number of results per statement, because it blocks the event loop. */
const resultsAtOnce = 1000;

export function createPastResults({ reader }: Database) {
  return {
    /**
     * The results of a check, oldest first, and whether they are all. Attempts that were retried are left out.
     */
    async read(
      accountId: string,
      checkId: string,
      { from, to, slowerThanMs, max }: PastQuestion,
    ): Promise<{ readonly results: readonly StoredPastResult[]; readonly isComplete: boolean }> {
      const key = { account_id: idBytes(accountId), check_id: idBytes(checkId) };
      const results: StoredPastResult[] = [];
      for (const span of await spansOf(reader, key, { from, to, slowerThanMs })) {
        let first: IdBytes = firstIdAt(span.from);
        for (;;) {
          const rows = await selectRows(reader, 'results', key)
            .select(['id', 'outcome', 'reason', 'location', 'source', 'started_at', 'duration_ms', 'response_us'])
            .where('id', '>=', first)
            .where('id', '<', firstIdAt(span.to))
            .where('run_id', 'is', null)
            .orderBy('id')
            .limit(resultsAtOnce + 1)
            .execute();
          results.push(...rows.slice(0, resultsAtOnce).map((row) => resultOf(checkId, row)));
          const next = rows[resultsAtOnce];
          await breathe();
          if (results.length > max) return { results: results.slice(0, max), isComplete: false };
          if (next === undefined) break;
          first = next.id;
        }
      }
      return { results, isComplete: true };
    },
    /** From when on results are complete, epoch ms; 0 = none were deleted. */
    storedFrom: async (): Promise<number> => readResultsFrom(await findFact(reader, 'results-from')),
  };
}

type Key = { readonly account_id: IdBytes; readonly check_id: IdBytes };

/** The hours to read, joined. */
async function spansOf(
  reader: Database['reader'],
  key: Key,
  { from, to, slowerThanMs }: Pick<PastQuestion, 'from' | 'to' | 'slowerThanMs'>,
): Promise<{ from: number; to: number }[]> {
  const rolledTo = Math.min(to, readProgress(await findFact(reader, 'rolled-up'))?.hourAt ?? from);
  const rows = await selectRows(reader, 'roll_ups', { ...key, span: spans.hour })
    .select(['start_at', 'responses'])
    .select(sql<number>`failed + degraded + unknown + missed`.as('others'))
    .where('start_at', '>=', hourOf(from))
    .where('start_at', '<', rolledTo)
    .orderBy('start_at')
    .execute();
  const late = new Set((await findRows(reader, 'late_hours', key, ['start_at'])).map(({ start_at }) => start_at));
  const isSlow = (bytes: Uint8Array | null): boolean =>
    slowerThanMs !== null && bytes !== null && responsesOf(bytes).max > slowerThanMs * 1000;
  const hours = new Set<number>();
  const odd = new Set([
    ...late,
    ...rows.flatMap(({ start_at, others, responses }) => (others > 0 || isSlow(responses) ? start_at : [])),
  ]);
  // An hour has a row for each location. The first hour tells the state at the beginning.
  let isAfterOdd = true;
  for (const at of new Set(rows.map(({ start_at }) => start_at))) {
    if (odd.has(at) || isAfterOdd) hours.add(at);
    isAfterOdd = odd.has(at);
  }
  for (const at of late) if (at >= from && at < rolledTo) hours.add(at);
  return joined(
    [...hours].toSorted((a, b) => a - b),
    { from: Math.max(from, rolledTo), to },
  );
}

/** Hours that follow each other as one span, and the time that is not rolled up. */
function joined(hours: readonly number[], rest: { from: number; to: number }): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  const add = (from: number, to: number): void => {
    const last = found.at(-1);
    if (last !== undefined && last.to >= from) last.to = to;
    else if (from < to) found.push({ from, to });
  };
  for (const hour of hours) add(hour, hour + hourMs);
  add(rest.from, rest.to);
  return found;
}

interface ResultRow {
  readonly id: IdBytes;
  readonly outcome: number;
  readonly reason: number | null;
  readonly location: string;
  readonly source: number;
  readonly started_at: number;
  readonly duration_ms: number;
  readonly response_us: number | null;
}

function resultOf(checkId: string, row: ResultRow): StoredPastResult {
  const isPlanned = sourceCodes.decode(row.source) === 'SCHEDULER';
  return {
    id: idText(row.id),
    checkId,
    outcome: outcomeCodes.decode(row.outcome),
    location: row.location,
    at: isPlanned ? idTime(row.id) : row.started_at,
    startedAt: row.started_at,
    endedAt: row.started_at + row.duration_ms,
    responseTimeMs: row.response_us === null ? null : row.response_us / 1000,
    isSlow: row.reason !== null && reasonCodes.decode(row.reason) === 'slow',
  };
}
