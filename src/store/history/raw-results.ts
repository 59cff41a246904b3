// Results as roll-ups count them, of hours that have none yet.
import { type Kysely, sql } from 'kysely';
import type { RollUpParts } from '#domain/results/detailed-roll-up.ts';
import { firstIdAt, idBytes, type IdBytes, idOfDigits } from '../base/codec.ts';
import { breathe } from '../base/slices.ts';
import type { Dialect } from '../base/dialect.ts';
import type { RawResult } from './roll-ups.ts';
import type { Tables } from '../base/tables/schema.ts';

/**
 * A result of a check. Ids are digits: thousands are read for one page, and an array of bytes costs several times as much
 * as a text.
 */
export interface TimedResult extends RawResult {
  readonly check_digits: string;
  readonly id_digits: string;
}

/** When the slot of a result was, epoch ms: its id says so. */
export function slotOf({ id_digits }: TimedResult): number {
  return Number.parseInt(id_digits.slice(0, 12), 16);
}

/** Results in one statement at most: bounds how long a read holds the loop. */
const resultsAtOnce = 2000;
/** Checks that are read in one statement; when their results are too many for it, one check after the other. */
const checksAtOnce = 25;

/** Whose results are read. */
export interface ResultsScope {
  readonly reader: Kysely<Tables>;
  readonly dialect: Pick<Dialect, 'idDigits' | 'idIn'>;
  readonly account: IdBytes;
  /** Whether statements gain by being under way together. */
  readonly areTogether: boolean;
  /** What of roll-ups is asked beside their sums: details are read for nothing else. */
  readonly parts: RollUpParts | null;
}

/** All results of a span (epoch ms, `to` excluded). */
export async function readResults(
  scope: ResultsScope,
  checks: readonly IdBytes[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<TimedResult[]> {
  if (from >= to) return [];
  const bounds = { first: firstIdAt(from), end: firstIdAt(to) };
  const groups: IdBytes[][] = [];
  for (let start = 0; start < checks.length; start += checksAtOnce) {
    groups.push(checks.slice(start, start + checksAtOnce));
  }
  if (scope.areTogether) return (await Promise.all(groups.map((group) => readGroup(scope, group, bounds)))).flat();
  const results: TimedResult[] = [];
  for (const group of groups) {
    if (results.length > 0) await breathe();
    results.push(...(await readGroup(scope, group, bounds)));
  }
  return results;
}

async function readGroup(scope: ResultsScope, group: readonly IdBytes[], bounds: Bounds): Promise<TimedResult[]> {
  const rows = await readSome(scope, group, bounds);
  if (rows.length <= resultsAtOnce) return rows;
  const results: TimedResult[] = [];
  for (const check of group) results.push(...(await readOne(scope, check, bounds)));
  return results;
}

interface Bounds {
  readonly first: IdBytes;
  readonly end: IdBytes;
}

async function readOne(scope: ResultsScope, check: IdBytes, bounds: Bounds): Promise<TimedResult[]> {
  const results: TimedResult[] = [];
  let { first } = bounds;
  for (;;) {
    const rows = await readSome(scope, [check], { ...bounds, first });
    const next = rows[resultsAtOnce];
    results.push(...rows.slice(0, resultsAtOnce));
    if (next === undefined) return results;
    first = idBytes(idOfDigits(next.id_digits));
    await breathe();
  }
}

/** One more than may be read at once says that there are more. */
function readSome(
  { reader, dialect, account, parts }: ResultsScope,
  checks: readonly IdBytes[],
  { first, end }: Bounds,
): Promise<TimedResult[]> {
  const query = reader
    .selectFrom('results')
    .select(['outcome', 'location', 'slots', 'interval_ms', 'response_us'])
    .select(dialect.idDigits('check_id').$castTo<string>().as('check_digits'))
    .select(dialect.idDigits('id').$castTo<string>().as('id_digits'))
    .select((parts === null ? sql<string | null>`null` : dialect.idDigits('details')).as('details_digits'))
    .select(sql<IdBytes | null>`case when slots > 1 then id end`.as('id'))
    .select(sql<number>`case when run_id is null then 1 else 0 end`.as('is_final'))
    .where('account_id', '=', account)
    .where(dialect.idIn('check_id', checks))
    .where('results.id', '>=', first)
    .where('results.id', '<', end);
  return (checks.length === 1 ? query.orderBy('results.id') : query).limit(resultsAtOnce + 1).execute();
}
