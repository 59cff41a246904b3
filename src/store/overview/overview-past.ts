// The rolled-up part of checks' metrics.
import { selectRows } from '../base/rows.ts';
import { sql } from 'kysely';
import { percentilesOf } from '#domain/results/analytics.ts';
import type { OutcomeBucket, Percentiles } from '#domain/results/overview.ts';
import {
  dayMs,
  dayOf,
  emptyResponses,
  hourMs,
  hourOf,
  mergeResponses,
  noTimes,
  type Responses,
  slotsWithin,
  type SlotTimes,
  type Stretch,
  sumOfTimes,
} from '#domain/results/roll-up.ts';
import { type Outcome, outcomes } from '#domain/results/result.ts';
import { idBytes, type IdBytes, idOfDigits, idText } from '../base/codec.ts';
import { responsesOf } from '../base/response-bytes.ts';
import type { Dialect } from '../base/dialect.ts';
import { breathe } from '../base/slices.ts';
import type { Db } from '../base/tables/schema.ts';
import { type Span, spans } from '../history/roll-up-rows.ts';

/** The rolled-up part of a check's metrics. Immutable. */
export interface Past {
  readonly rolledTo: number;
  readonly readAt: number;
  /** One for each hour up to `rolledTo`. */
  readonly buckets: readonly OutcomeBucket[];
  readonly sparkline: readonly (Percentiles | null)[];
  readonly day: SlotTimes;
  readonly dayResponses: Responses;
  readonly week: SlotTimes;
  readonly month: SlotTimes;
}

/** Input of a read. SlotTimes are epoch ms. */
export interface PastScope {
  readonly reader: Db;
  readonly dialect: Pick<Dialect, 'idDigits' | 'idIn'>;
  /** Whether concurrent statements are faster. */
  readonly areTogether: boolean;
  readonly account: string;
  readonly now: number;
  /** The hour up to which all hours are rolled up. */
  readonly rolledTo: number;
}

const hours = 24;
const [weekDays, monthDays] = [7, 30];

/** The first of the 24 hours that end with the current one, epoch ms. */
export function firstHourOf(now: number): number {
  return hourOf(now) - (hours - 1) * hourMs;
}

/** Reads the past of some checks, by ID. */
export async function readPast(scope: PastScope, ids: readonly string[]): Promise<Map<string, Past>> {
  const { now, rolledTo, areTogether } = scope;
  const checks = ids.map(idBytes);
  const first = firstHourOf(now);
  // Whole days, so that one row of each is read.
  const today = dayOf(rolledTo);
  const [weekFrom, monthFrom] = [dayOf(now) - weekDays * dayMs, dayOf(now) - monthDays * dayMs];
  const reads = [
    () => readHours(scope, checks, Math.min(first, today)),
    () => readTimes(scope, checks, 'day', weekFrom, today),
    () => readTimes(scope, checks, 'day', monthFrom, Math.min(weekFrom, today)),
    async () => Map.groupBy(await readStretches(scope, checks, monthFrom), ofCheck),
  ] as const;
  const [hoursOf, week, beforeWeek, stretches] = await (areTogether
    ? Promise.all([reads[0](), reads[1](), reads[2](), reads[3]()])
    : inOrder(reads));
  return new Map(
    ids.map((id) => {
      const [own, rows] = [stretches.get(id) ?? [], hoursOf.get(id) ?? []];
      const sinceToday = rows.filter(({ start_at }) => start_at >= today).map(timesOf);
      const ofWeek = sumOfTimes([...sinceToday, week.get(id) ?? noTimes]);
      const ofMonth = sumOfTimes([ofWeek, beforeWeek.get(id) ?? noTimes]);
      const known = {
        ...shownHours(rows, own, first, rolledTo),
        rolledTo,
        readAt: now,
        week: withStretches(ofWeek, own, weekFrom, rolledTo),
        month: withStretches(ofMonth, own, monthFrom, rolledTo),
      };
      return [id, known];
    }),
  );
}

export const ofCheck = ({ checkId }: { readonly checkId: string }): string => checkId;

/** Columns of an hour as `readHours` joins them; two columns of hex digits follow, empty if there were no responses. */
const hourColumns = sql.raw(
  ['start_at', ...outcomes, 'known_ms', 'down_ms', 'unknown_ms'].map((column) => `${column}, ' '`).join(', '),
);

/** Reads one text for each check: a page has thousands of hours, and a row for each costs several times as much. */
async function readHours(
  { reader, dialect, account, rolledTo }: PastScope,
  checks: readonly IdBytes[],
  from: number,
): Promise<Map<string, HourRow[]>> {
  const digitsOf = (column: string) => sql`coalesce(${dialect.idDigits(column)}, '')`;
  const hour = sql`concat(${hourColumns}, ${digitsOf('responses')}, ' ', ${digitsOf('failed_responses')})`;
  const rows = await selectRows(reader, 'roll_ups', { account_id: idBytes(account), span: spans.hour })
    .select(dialect.idDigits('check_id').$castTo<string>().as('digits'))
    .select(sql<string>`string_agg(${hour}, ',')`.as('hours'))
    .where(dialect.idIn('check_id', checks))
    .where('start_at', '>=', from)
    .where('start_at', '<', rolledTo)
    .groupBy('check_id')
    .execute();
  return new Map(rows.map(({ digits, hours }) => [idOfDigits(digits), hours.split(',').map(hourRowOf)]));
}

interface HourRow extends Record<Outcome, number>, TimesRow {
  readonly start_at: number;
  readonly responses: readonly Responses[];
}

function hourRowOf(text: string): HourRow {
  const [start, passed, degraded, failed, unknown, missed, known, down, unclear, ...digits] = text.split(' ');
  return {
    start_at: Number(start),
    passed: Number(passed),
    degraded: Number(degraded),
    failed: Number(failed),
    unknown: Number(unknown),
    missed: Number(missed),
    known_ms: Number(known),
    down_ms: Number(down),
    unknown_ms: Number(unclear),
    responses: digits.filter((each) => each !== '').map((each) => responsesOf(Buffer.from(each, 'hex'))),
  };
}

function shownHours(rows: readonly HourRow[], stretches: readonly Stretch[], first: number, rolledTo: number) {
  const day = { ...noTimes };
  const dayResponses = emptyResponses();
  const byHour = Map.groupBy(rows, ({ start_at }) => start_at);
  const [buckets, sparkline]: [OutcomeBucket[], (Percentiles | null)[]] = [[], []];
  for (let from = first; from < rolledTo; from += hourMs) {
    const bucket = { from, passed: 0, degraded: 0, failed: 0, unknown: 0, missed: 0 };
    const rowsOfHour = byHour.get(from) ?? [];
    for (const row of rowsOfHour) {
      for (const outcome of outcomes) bucket[outcome] += row[outcome];
      day.knownMs += row.known_ms;
      day.downMs += row.down_ms;
      day.unknownMs += row.unknown_ms;
    }
    for (const stretch of stretches) {
      const slots = slotsWithin(stretch, from, from + hourMs);
      bucket.missed += slots;
      day.unknownMs += slots * stretch.intervalMs;
    }
    buckets.push(bucket);
    const responses = rowsOfHour.flatMap((row) => row.responses);
    sparkline.push(percentilesOf(responses));
    for (const each of responses) mergeResponses(dayResponses, each);
  }
  return { buckets, sparkline, day, dayResponses };
}

function withStretches(times: SlotTimes, stretches: readonly Stretch[], from: number, to: number): SlotTimes {
  const missedMs = stretches.reduce((sum, each) => sum + slotsWithin(each, from, to) * each.intervalMs, 0);
  return { ...times, unknownMs: times.unknownMs + missedMs };
}

/** Sums roll-ups of hours or days that start in a time range (epoch ms, `to` exclusive), by check ID. */
export async function readTimes(
  { reader, dialect, account }: PastScope,
  checks: readonly IdBytes[],
  span: Span,
  from: number,
  to: number,
): Promise<Map<string, SlotTimes>> {
  const sums = (['known_ms', 'down_ms', 'unknown_ms'] as const).map((name) =>
    sql<number>`sum(${sql.ref(name)})`.as(name),
  );
  const rows = await selectRows(reader, 'roll_ups', { account_id: idBytes(account), span: spans[span] })
    .select(dialect.idDigits('check_id').$castTo<string>().as('digits'))
    .select(sums)
    .where(dialect.idIn('check_id', checks))
    .where('start_at', '>=', from)
    .where('start_at', '<', to)
    .groupBy('check_id')
    .execute();
  return new Map(rows.map((row) => [idOfDigits(row.digits), timesOf(row)]));
}

interface TimesRow {
  readonly known_ms: number;
  readonly down_ms: number;
  readonly unknown_ms: number;
}

function timesOf({ known_ms: knownMs, down_ms: downMs, unknown_ms: unknownMs }: TimesRow): SlotTimes {
  return { knownMs, downMs, unknownMs };
}

async function readStretches(
  { reader, dialect, account, rolledTo }: PastScope,
  checks: readonly IdBytes[],
  from: number,
) {
  const rows = await selectRows(reader, 'missed_stretches', { account_id: idBytes(account) })
    .select(['check_id', 'location', 'slot_at', 'slots', 'interval_ms'])
    .where(dialect.idIn('check_id', checks))
    .where('slot_at', '<', rolledTo)
    .where('end_at', '>', from)
    .execute();
  return rows.map(({ check_id, location, slot_at: slotAt, slots, interval_ms: intervalMs }) => ({
    checkId: idText(check_id),
    location,
    slotAt,
    slots,
    intervalMs,
  }));
}

/** Sequentially, to yield to other work in between. */
async function inOrder<A, B, C, D>([a, b, c, d]: readonly [
  () => Promise<A>,
  () => Promise<B>,
  () => Promise<C>,
  () => Promise<D>,
]): Promise<[A, B, C, D]> {
  const first = await a();
  await breathe();
  const second = await b();
  await breathe();
  return [first, second, await c(), await d()];
}
