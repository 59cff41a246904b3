// Number of results of a check on a server, where counting rows scans all of them: for rolled-up days uses their
// counts, for the others the rows (docs/decisions/0040).
import type { TimeSpan } from '#domain/checks/calendar.ts';
import { selectRows } from '../base/rows.ts';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { dayMs, dayOf, dayRetentionDays } from '#domain/results/roll-up.ts';
import { firstIdAt, type IdBytes, idTime } from '../base/codec.ts';
import { readProgress, readResultsFrom } from '../roll-ups/roll-up-progress.ts';
import { spans } from './roll-up-rows.ts';
import type { Db, Tables } from '../base/tables/schema.ts';
import type { IdRange } from '../base/slices.ts';

/** What to count. */
export interface TotalScope {
  readonly reader: Db;
  readonly account: IdBytes;
  readonly check: IdBytes;
  /** Whether to include retried attempts. */
  readonly withAttempts: boolean;
  /** Epoch ms, `to` exclusive; null = unbounded. */
  readonly from: number | null;
  readonly to: number | null;
  /** The results of the check within these bounds and a range. */
  readonly rows: (range: IdRange) => SelectQueryBuilder<Tables, 'results', object>;
}

/** Number of results. */
export async function totalOfResults(scope: TotalScope): Promise<number> {
  const span = await readDays(scope);
  if (span === null) return countRows(scope);
  const counted = await countWithin(scope, span);
  // Roll-ups outlive results, and a moved account brings more of them, so counts start at the first complete day: the
  // first with earlier rows.
  const wholeFrom = counted.before > 0 ? span.from : await firstWholeDay(scope, span);
  const from = Math.max(wholeFrom, counted.unknownAt === null ? 0 : counted.unknownAt + dayMs);
  if (from === span.from) return sumOf(counted);
  return from < span.to ? sumOf(await countWithin(scope, { from, to: span.to })) : countRows(scope);
}

/** Rolled-up days whose results are all still stored and without late ones; null = none. */
async function readDays({ reader, account, check, from, to }: TotalScope): Promise<TimeSpan | null> {
  const fact = (key: string) => selectRows(reader, 'installation', { key }).select('value');
  const late = selectRows(reader, 'late_hours', { account_id: account, check_id: check }).select(({ fn }) =>
    fn.min('start_at').as('at'),
  );
  const facts = await reader
    .selectNoFrom([fact('rolled-up').as('progress'), fact('results-from').as('results_from'), late.as('late_at')])
    .executeTakeFirstOrThrow();
  const progress = readProgress(facts.progress);
  if (progress === null) return null;
  const rollUpsFrom = dayOf(progress.hourAt) - dayRetentionDays * dayMs;
  const days = {
    from: nextDay(Math.max(from ?? 0, readResultsFrom(facts.results_from), rollUpsFrom)),
    to: dayOf(Math.min(progress.hourAt, facts.late_at ?? Infinity, to ?? Infinity)),
  };
  return days.from < days.to ? days : null;
}

/** The start of the first UTC day that starts at or after `at`; both epoch ms. */
function nextDay(at: number): number {
  return Math.ceil(at / dayMs) * dayMs;
}

/** From when on all of these days have their rows, epoch ms; Infinity = there are none. */
async function firstWholeDay({ reader, account, check }: TotalScope, { from, to }: TimeSpan): Promise<number> {
  const oldest = await selectRows(reader, 'results', { account_id: account, check_id: check })
    .select('id')
    .where('id', '>=', firstIdAt(from))
    .where('id', '<', firstIdAt(to))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return oldest === undefined ? Infinity : Math.max(from, nextDay(idTime(oldest.id)));
}

/** Results of the scope: rows before and after some days, and the counts of these days. */
interface Counted {
  readonly before: number;
  readonly inDays: number;
  readonly after: number;
  /** The last day written at least in part by an older version, epoch ms; null = none. */
  readonly unknownAt: number | null;
}

function sumOf({ before, inDays, after }: Counted): number {
  return before + inDays + after;
}

async function countWithin(scope: TotalScope, { from, to }: TimeSpan): Promise<Counted> {
  const { reader, account, check, withAttempts } = scope;
  const days = selectRows(reader, 'roll_ups', { account_id: account, check_id: check, span: spans.day })
    .where('start_at', '>=', from)
    .where('start_at', '<', to);
  const counted = withAttempts ? sql<number>`sum(final_results + retries)` : sql<number>`sum(final_results)`;
  // Not part of roll-ups; each is a result.
  const stretches = selectRows(reader, 'missed_stretches', { account_id: account, check_id: check })
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('slot_at', '>=', from)
    .where('slot_at', '<', to);
  const [before, after] = [
    rowCount(scope, { from: null, before: firstIdAt(from) }),
    rowCount(scope, { from: firstIdAt(to), before: null }),
  ];
  const row = await reader
    .selectNoFrom([
      days.select(counted.as('rows')).as('in_days'),
      days
        .select(({ fn }) => fn.max('start_at').as('at'))
        .where('final_results', 'is', null)
        .as('unknown_at'),
      stretches.as('stretches'),
      before.as('before'),
      after.as('after'),
    ])
    .executeTakeFirstOrThrow();
  return {
    before: row.before,
    inDays: (row.in_days ?? 0) + (row.stretches ?? 0),
    after: row.after,
    unknownAt: row.unknown_at,
  };
}

/** All of them, row by row. */
async function countRows(scope: TotalScope): Promise<number> {
  const counted = rowCount(scope, { from: null, before: null });
  return (await scope.reader.selectNoFrom(counted.as('rows')).executeTakeFirstOrThrow()).rows;
}

/** Final results are all minus the attempts: both counts use an index only. */
function rowCount({ withAttempts, rows }: TotalScope, range: IdRange): RawBuilder<number> {
  const all = rows(range).select(({ fn }) => fn.countAll<number>().as('rows'));
  return withAttempts ? sql<number>`${all}` : sql<number>`(${all} - ${all.where('run_id', 'is not', null)})`;
}
