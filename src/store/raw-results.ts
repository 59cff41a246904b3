// Results as roll-ups count them, of hours that have none yet.
import { type Kysely, sql } from 'kysely';
import { firstIdAt, type IdBytes } from './codec.ts';
import type { RawResult } from './roll-ups.ts';
import type { Tables } from './schema.ts';

/** A result of a check; its id says when its slot was. */
export interface TimedResult extends RawResult {
  readonly id: IdBytes;
  readonly account_id: IdBytes;
  readonly check_id: IdBytes;
}

/** Results in one statement at most: bounds how long a read holds the loop. */
const resultsAtOnce = 2000;
/** Checks that are read in one statement; when their results are too many for it, one check after the other. */
const checksAtOnce = 25;

/** Whose results are read. */
export interface ResultsScope {
  readonly reader: Kysely<Tables>;
  readonly account: IdBytes;
  /** Whether statements gain by being under way together. */
  readonly areTogether: boolean;
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

async function readGroup(
  { reader, account }: ResultsScope,
  group: readonly IdBytes[],
  bounds: Bounds,
): Promise<TimedResult[]> {
  const rows = await readSome(reader, account, group, bounds);
  if (rows.length <= resultsAtOnce) return rows;
  const results: TimedResult[] = [];
  for (const check of group) results.push(...(await readOne(reader, account, check, bounds)));
  return results;
}

interface Bounds {
  readonly first: IdBytes;
  readonly end: IdBytes;
}

async function readOne(
  reader: Kysely<Tables>,
  account: IdBytes,
  check: IdBytes,
  bounds: Bounds,
): Promise<TimedResult[]> {
  const results: TimedResult[] = [];
  let { first } = bounds;
  for (;;) {
    const rows = await readSome(reader, account, [check], { ...bounds, first });
    const next = rows[resultsAtOnce];
    results.push(...rows.slice(0, resultsAtOnce));
    if (next === undefined) return results;
    first = next.id;
    await breathe();
  }
}

/** One more than may be read at once says that there are more. */
function readSome(
  reader: Kysely<Tables>,
  account: IdBytes,
  checks: readonly IdBytes[],
  { first, end }: Bounds,
): Promise<TimedResult[]> {
  const query = reader
    .selectFrom('results')
    .select(['account_id', 'check_id', 'id', 'outcome', 'location', 'slots', 'interval_ms', 'response_us'])
    .select(sql<number>`case when run_id is null then 1 else 0 end`.as('is_final'))
    .where('account_id', '=', account)
    .where('check_id', 'in', checks)
    .where('id', '>=', first)
    .where('id', '<', end);
  return (checks.length === 1 ? query.orderBy('id') : query).limit(resultsAtOnce + 1).execute();
}

const breathe = () => new Promise<void>((resolve) => void setImmediate(resolve));
