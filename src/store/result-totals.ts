// How many results a check has: of days that are rolled up what was counted then, of the others the rows
// (docs/decisions/0113).
import { type Kysely, sql } from 'kysely';
import { dayMs, dayOf } from '#domain/roll-up.ts';
import { firstIdAt, type IdBytes, idTime } from './codec.ts';
import { readProgress, readResultsFrom } from './roll-up-progress.ts';
import { spans } from './roll-up-rows.ts';
import type { Tables } from './schema.ts';
import type { IdRange } from './slices.ts';

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
}

/** @param countRows counts rows of the scope, one by one */
export async function totalOfResults(
  scope: TotalScope,
  countRows: (range: IdRange) => Promise<number>,
): Promise<number> {
  const span = await daysOf(scope);
  if (span === null) return countRows({ from: null, before: null });
  const rowsBefore = (day: number): Promise<number> => countRows({ from: null, before: firstIdAt(day) });
  const [days, stretches, before, after] = await Promise.all([
    readDays(scope, span),
    readStretches(scope, span),
    rowsBefore(span.from),
    countRows({ from: firstIdAt(span.to), before: null }),
  ]);
  // Roll-ups stay when results go, and an account that moved brought more of them: days count from the first that is whole. That is
  // the first one where there are rows before it.
  const wholeFrom = before > 0 ? span.from : await firstWholeDay(scope, span.from);
  const knownFrom = days.reduce((from, day) => (day.isKnown ? from : Math.max(from, day.startAt + dayMs)), wholeFrom);
  const firstDay = Math.min(knownFrom, span.to);
  const inDays = days.reduce((sum, { startAt, results }) => (startAt < firstDay ? sum : sum + results), 0);
  const ofStretches = stretches.filter((slotAt) => slotAt >= firstDay).length;
  return inDays + ofStretches + (firstDay === span.from ? before : await rowsBefore(firstDay)) + after;
}

interface Days {
  /** Starts of UTC days, epoch ms; `to` excluded. */
  readonly from: number;
  readonly to: number;
}

/** The days that are rolled up, of which no result is older than what is kept and none came late; null = there are none. */
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
  const days = {
    from: nextDay(Math.max(from ?? 0, readResultsFrom(facts.results_from))),
    to: dayOf(Math.min(progress.hourAt, facts.late_at ?? Infinity, to ?? Infinity)),
  };
  return days.from < days.to ? days : null;
}

/** The start of the first UTC day that does not begin before `at`; both epoch ms. */
function nextDay(at: number): number {
  return Math.ceil(at / dayMs) * dayMs;
}

/** From when on there are rows of every day that had some; at least `from`. All are epoch ms. */
async function firstWholeDay({ reader, account, check }: TotalScope, from: number): Promise<number> {
  const oldest = await reader
    .selectFrom('results')
    .select('id')
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    .where('id', '>=', firstIdAt(from))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return oldest === undefined ? Infinity : Math.max(from, nextDay(idTime(oldest.id)));
}

interface Day {
  readonly startAt: number;
  readonly results: number;
  /** Whether all of it was made by a version that counts results. */
  readonly isKnown: boolean;
}

async function readDays({ reader, account, check, withAttempts }: TotalScope, { from, to }: Days): Promise<Day[]> {
  const rows = await reader
    .selectFrom('roll_ups')
    .select(['start_at', sql<number>`count(*) - count(final_results)`.as('unknown')])
    .select(sql<number>`coalesce(sum(final_results), 0)`.as('finals'))
    .select(sql<number>`sum(retries)`.as('attempts'))
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    .where('span', '=', spans.day)
    .where('start_at', '>=', from)
    .where('start_at', '<', to)
    .groupBy('start_at')
    .execute();
  return rows.map(({ start_at: startAt, unknown, finals, attempts }) => ({
    startAt,
    results: withAttempts ? finals + attempts : finals,
    isKnown: unknown === 0,
  }));
}

/** When the stretches begin that roll-ups leave out, epoch ms; each is a result. */
async function readStretches({ reader, account, check }: TotalScope, { from, to }: Days): Promise<number[]> {
  const rows = await reader
    .selectFrom('missed_stretches')
    .select('slot_at')
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    .where('slot_at', '>=', from)
    .where('slot_at', '<', to)
    .execute();
  return rows.map(({ slot_at }) => slot_at);
}
