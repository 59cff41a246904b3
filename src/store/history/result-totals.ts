// How many results a check has where a server would have to look at all of them: of days that are rolled up what was counted
// then, of the others the rows (docs/decisions/0040).
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { dayMs, dayOf, daysKeptDays } from '#domain/results/roll-up.ts';
import { firstIdAt, type IdBytes, idTime } from '../base/codec.ts';
import { readProgress, readResultsFrom } from './roll-up-progress.ts';
import { spans } from './roll-up-rows.ts';
import type { Tables } from '../base/tables/schema.ts';
import type { IdRange } from '../base/slices.ts';

/** What is to be counted. */
export interface TotalScope {
  readonly reader: Kysely<Tables>;
  readonly account: IdBytes;
  readonly check: IdBytes;
  /** Whether attempts that were tried again count, too. */
  readonly withAttempts: boolean;
  /** Epoch ms, `to` excluded; null = unbounded. */
  readonly from: number | null;
  readonly to: number | null;
  /** The results of the check within these bounds and a range. */
  readonly rows: (range: IdRange) => SelectQueryBuilder<Tables, 'results', object>;
}

/** How many results there are. */
export async function totalOfResults(scope: TotalScope): Promise<number> {
  const span = await daysOf(scope);
  if (span === null) return rowsOf(scope);
  const counted = await countWithin(scope, span);
  // Roll-ups stay when results go, and an account that moved brought more of them: days count from the first that is whole. That is
  // the first one where there are rows before it.
  const wholeFrom = counted.before > 0 ? span.from : await firstWholeDay(scope, span);
  const from = Math.max(wholeFrom, counted.unknownAt === null ? 0 : counted.unknownAt + dayMs);
  if (from === span.from) return sumOf(counted);
  return from < span.to ? sumOf(await countWithin(scope, { from, to: span.to })) : rowsOf(scope);
}

/** UTC days, epoch ms; `to` excluded. */
interface Days {
  readonly from: number;
  readonly to: number;
}

/**
 * The days that are rolled up and whose roll-ups are still there, of which no result is older than what is kept and none came late;
 * null = there are none.
 */
async function daysOf({ reader, account, check, from, to }: TotalScope): Promise<Days | null> {
  const fact = (key: string) => reader.selectFrom('installation').select('value').where('key', '=', key);
  const late = reader
    .selectFrom('late_hours')
    .select(({ fn }) => fn.min('start_at').as('at'))
    .where('account_id', '=', account)
    .where('check_id', '=', check);
  const facts = await reader
    .selectNoFrom([fact('rolled-up').as('progress'), fact('results-from').as('results_from'), late.as('late_at')])
    .executeTakeFirstOrThrow();
  const progress = readProgress(facts.progress);
  if (progress === null) return null;
  const rollUpsFrom = dayOf(progress.hourAt) - daysKeptDays * dayMs;
  const days = {
    from: nextDay(Math.max(from ?? 0, readResultsFrom(facts.results_from), rollUpsFrom)),
    to: dayOf(Math.min(progress.hourAt, facts.late_at ?? Infinity, to ?? Infinity)),
  };
  return days.from < days.to ? days : null;
}

/** The start of the first UTC day that does not begin before `at`; both epoch ms. */
function nextDay(at: number): number {
  return Math.ceil(at / dayMs) * dayMs;
}

/** From when on there are rows of every one of these days that had some, epoch ms; Infinity = there are none in them. */
async function firstWholeDay({ reader, account, check }: TotalScope, { from, to }: Days): Promise<number> {
  const oldest = await reader
    .selectFrom('results')
    .select('id')
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    .where('id', '>=', firstIdAt(from))
    .where('id', '<', firstIdAt(to))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return oldest === undefined ? Infinity : Math.max(from, nextDay(idTime(oldest.id)));
}

/** Results of the scope: rows before some days and after them, and what was counted of these. */
interface Counted {
  readonly before: number;
  readonly inDays: number;
  readonly after: number;
  /** The last day that an older version made, at least in part, epoch ms; null = there is none. */
  readonly unknownAt: number | null;
}

function sumOf({ before, inDays, after }: Counted): number {
  return before + inDays + after;
}

async function countWithin(scope: TotalScope, { from, to }: Days): Promise<Counted> {
  const { reader, account, check, withAttempts } = scope;
  const days = reader
    .selectFrom('roll_ups')
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    .where('span', '=', spans.day)
    .where('start_at', '>=', from)
    .where('start_at', '<', to);
  const counted = withAttempts ? sql<number>`sum(final_results + retries)` : sql<number>`sum(final_results)`;
  // Roll-ups leave them out; each is a result.
  const stretches = reader
    .selectFrom('missed_stretches')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('account_id', '=', account)
    .where('check_id', '=', check)
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

/** All of them, one by one. */
async function rowsOf(scope: TotalScope): Promise<number> {
  const counted = rowCount(scope, { from: null, before: null });
  return (await scope.reader.selectNoFrom(counted.as('rows')).executeTakeFirstOrThrow()).rows;
}

/** Final results are all of them but the attempts: both counts come from indexes, without a look at any row. */
function rowCount({ withAttempts, rows }: TotalScope, range: IdRange): RawBuilder<number> {
  const all = rows(range).select(({ fn }) => fn.countAll<number>().as('rows'));
  return withAttempts ? sql<number>`${all}` : sql<number>`(${all} - ${all.where('run_id', 'is not', null)})`;
}
