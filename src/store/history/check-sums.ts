// Totals of checks in a time range, aggregated by the database, because an overview page would otherwise read thousands
// of rows (docs/decisions/0040).
import type { TimeSpan } from '#domain/checks/calendar.ts';
import { selectRows } from '../base/rows.ts';
import { sql } from 'kysely';
import {
  addResult,
  dayMs,
  dayOf,
  emptyResponses,
  emptyRollUp,
  mergeResponses,
  mergeRollUp,
  type RollUp,
} from '#domain/results/roll-up.ts';
import { firstIdAt, type IdBytes, idBytes, idOfDigits } from '../base/codec.ts';
import { breathe } from '../base/slices.ts';
import { outcomeCodes } from '../base/codes.ts';
import type { Dialect } from '../base/dialect.ts';
import type { MergedResponses } from './merged-responses.ts';
import { responsesOf } from '../base/response-bytes.ts';
import { rollUpOf, type Span, spans } from './roll-up-rows.ts';
import type { Db } from '../base/tables/schema.ts';

/** Checks of one account. */
export interface SumsScope {
  readonly reader: Db;
  readonly dialect: Pick<Dialect, 'idDigits' | 'idIn'>;
  readonly merged: MergedResponses;
  readonly account: IdBytes;
  readonly checks: readonly IdBytes[];
  /** Whether concurrent statements are faster. */
  readonly areTogether: boolean;
}

/** Totals of checks over all locations. */
export interface Sums {
  /** By check ID; without long stretches of missed slots. Checks without data are omitted. */
  readonly ofChecks: Map<string, RollUp>;
  /** IDs of checks whose results must be processed one by one: their sums are incomplete. */
  readonly odd: ReadonlySet<string>;
}

/** Accumulated sums. */
interface Found extends Sums {
  readonly odd: Set<string>;
}

const minuteMs = 60_000;

/** Columns of a roll-up that are summed. */
const counted = [
  'passed',
  'degraded',
  'failed',
  'unknown',
  'missed',
  'retries',
  'known_ms',
  'down_ms',
  'unknown_ms',
] as const;

/** Maximum number of days or hours per statement, so that none blocks the event loop for long. */
const windowsMs = { day: 60 * dayMs, hour: 2 * dayMs };
/** Target number of results per statement where it blocks the event loop; the size of a range is adapted to it. */
const resultsAtOnce = 2000;
const firstWindowMs = 15 * minuteMs;

/**
 * Sums a time range (epoch ms) that starts with an hour that has roll-ups.
 * @param rolledTo until when all checks are rolled up, epoch ms; read before
 */
export async function readSums(scope: SumsScope, { from, to }: TimeSpan, rolledTo: number): Promise<Sums> {
  const sums: Found = { ofChecks: new Map(), odd: new Set() };
  // PostgreSQL does not accept an empty list.
  if (scope.checks.length === 0) return sums;
  const { days, hours } = partsOf(from, Math.min(to, rolledTo));
  const parts = [
    ...inWindows([days], windowsMs.day).map((range) => () => addRollUps(scope, 'day', range, sums)),
    ...inWindows(hours, windowsMs.hour).map((range) => () => addRollUps(scope, 'hour', range, sums)),
    () => addResults(scope, { from: Math.max(from, rolledTo), to }, sums),
  ];
  if (scope.areTogether) await Promise.all(parts.map((part) => part()));
  else for (const part of parts) await part().then(breathe);
  return sums;
}

/** Whole days where available, hours around them. */
function partsOf(from: number, to: number): { days: TimeSpan; hours: TimeSpan[] } {
  const days = { from: Math.ceil(from / dayMs) * dayMs, to: dayOf(to) };
  if (days.from >= days.to) return { days, hours: [{ from, to }] };
  return {
    days,
    hours: [
      { from, to: days.from },
      { from: days.to, to },
    ],
  };
}

function inWindows(ranges: readonly TimeSpan[], windowMs: number): TimeSpan[] {
  return ranges.flatMap(({ from, to }) =>
    Array.from({ length: Math.max(0, Math.ceil((to - from) / windowMs)) }, (_, index) => ({
      from: from + index * windowMs,
      to: Math.min(to, from + (index + 1) * windowMs),
    })),
  );
}

/** One row per check: its counts, and the concatenated digits of response times that are not cached as merged. */
async function addRollUps(scope: SumsScope, span: Span, { from, to }: TimeSpan, { ofChecks }: Found): Promise<void> {
  const { merged, dialect } = scope;
  const part = `${span}/${from}/${to}`;
  const ofRows = (checks: readonly IdBytes[]) => rollUpsWithin({ ...scope, checks }, span, { from, to });
  let unknown: readonly IdBytes[] = scope.checks;
  if (merged.isAny(part, unknown)) {
    const others: IdBytes[] = [];
    for (const { check_digits, versions, ...counts } of await ofRows(unknown).execute()) {
      const id = idOfDigits(check_digits);
      const kept = merged.get(part, id, versions);
      if (kept === undefined) others.push(idBytes(id));
      else addParts(sumAt(ofChecks, id), counts, kept);
    }
    if (others.length === 0) return;
    unknown = others;
  }
  const listOf = (column: string) => sql<string | null>`string_agg(${dialect.idDigits(column)}, ',')`;
  const rows = await ofRows(unknown)
    .select([listOf('responses').as('responses'), listOf('failed_responses').as('failed_responses')])
    .execute();
  for (const { check_digits, versions, responses, failed_responses, ...counts } of rows) {
    const id = idOfDigits(check_digits);
    const parts = { responses: emptyResponses(), failedResponses: emptyResponses() };
    for (const bytes of listed(responses)) mergeResponses(parts.responses, responsesOf(bytes));
    for (const bytes of listed(failed_responses)) mergeResponses(parts.failedResponses, responsesOf(bytes));
    addParts(sumAt(ofChecks, id), counts, parts);
    merged.keep(part, id, { versions, ...parts });
  }
}

/**
 * Changes whenever a roll-up is rewritten: it then has more results in its range. Includes the hour, because rows of a
 * range may be deleted while others remain.
 */
const versions = sql<number>`sum((start_at / 3600000)
  * (1 + passed + degraded + failed + unknown + missed + retries) + known_ms + unknown_ms)`;

/** Counts of each check, and a value that changes when any of its rows does. */
function rollUpsWithin({ reader, dialect, account, checks }: SumsScope, span: Span, { from, to }: TimeSpan) {
  return selectRows(reader, 'roll_ups', { account_id: account, span: spans[span] })
    .select(dialect.idDigits('check_id').$castTo<string>().as('check_digits'))
    .select(counted.map((column) => sql<number>`sum(${sql.ref(column)})`.as(column)))
    .select(versions.as('versions'))
    .where(dialect.idIn('check_id', checks))
    .where('start_at', '>=', from)
    .where('start_at', '<', to)
    .groupBy('check_id');
}

type Counts = Readonly<Record<(typeof counted)[number], number>>;

function addParts(sum: RollUp, counts: Counts, parts: Pick<RollUp, 'responses' | 'failedResponses'>): void {
  mergeRollUp(sum, rollUpOf({ ...counts, responses: null, failed_responses: null }));
  mergeResponses(sum.responses, parts.responses);
  mergeResponses(sum.failedResponses, parts.failedResponses);
}

function listed(digits: string | null): Uint8Array[] {
  return digits === null ? [] : digits.split(',').map((each) => Buffer.from(each, 'hex'));
}

function sumAt(ofChecks: Map<string, RollUp>, id: string): RollUp {
  const known = ofChecks.get(id);
  if (known !== undefined) return known;
  const fresh = emptyRollUp();
  ofChecks.set(id, fresh);
  return fresh;
}

/**
 * The relevant parts of a result as one number: response time in µs plus 1 (0 = none), outcome, whether it is final,
 * and whether it covers time. The last two are bits; an outcome is below eight.
 */
const shape = { time: 32, outcome: 4, final: 2, timed: 1 } as const;

async function addResults(scope: SumsScope, { from, to }: TimeSpan, sums: Found): Promise<void> {
  let widthMs = scope.areTogether ? to - from : firstWindowMs;
  for (let start = from; start < to;) {
    if (start > from) await breathe();
    const end = Math.min(to, start + widthMs);
    const results = await addSomeResults(scope, { from: start, to: end }, sums);
    start = end;
    widthMs = Math.max(minuteMs, Math.floor((widthMs * resultsAtOnce) / Math.max(1, results)));
  }
}

/** One row per check: the concatenated numbers of its results. @returns number of results */
async function addSomeResults(scope: SumsScope, { from, to }: TimeSpan, { ofChecks, odd }: Found): Promise<number> {
  const { reader, dialect, account, checks } = scope;
  const code = sql`(coalesce(response_us, -1) + 1) * ${sql.lit(shape.time)} + outcome * ${sql.lit(shape.outcome)}
    + case when run_id is null then ${sql.lit(shape.final)} else 0 end
    + case when interval_ms is null then 0 else ${sql.lit(shape.timed)} end`;
  const rows = await selectRows(reader, 'results', { account_id: account })
    .select(dialect.idDigits('check_id').$castTo<string>().as('check_digits'))
    .select(sql<string>`string_agg(cast(${code} as text), ',')`.as('codes'))
    .select(({ fn }) => [
      fn.max<number>('slots').as('slots'),
      fn.min<number | null>('interval_ms').as('shortest'),
      fn.max<number | null>('interval_ms').as('longest'),
    ])
    .where(dialect.idIn('check_id', checks))
    .where('results.id', '>=', firstIdAt(from))
    .where('results.id', '<', firstIdAt(to))
    .groupBy('check_id')
    .execute();
  let results = 0;
  for (const { check_digits, codes, slots, shortest, longest } of rows) {
    const each = codes.split(',');
    results += each.length;
    const id = idOfDigits(check_digits);
    // Stretches are processed one by one; the interval of a check hardly ever changes.
    if (slots > 1 || shortest !== longest) odd.add(id);
    else addCodes(sumAt(ofChecks, id), each, shortest);
  }
  return results;
}

function addCodes(sum: RollUp, codes: readonly string[], intervalMs: number | null): void {
  for (const text of codes) {
    const code = Number(text);
    const time = Math.floor(code / shape.time);
    const bits = code % shape.time;
    addResult(sum, {
      isFinal: (bits & shape.final) !== 0,
      outcome: outcomeCodes.decode(Math.floor(bits / shape.outcome)),
      slots: 1,
      intervalMs: (bits & shape.timed) === 0 ? null : intervalMs,
      responseUs: time === 0 ? null : time - 1,
    });
  }
}
