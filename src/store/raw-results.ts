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

/** All results of a span (epoch ms, `to` excluded). */
export async function readResults(
  reader: Kysely<Tables>,
  account: IdBytes,
  checks: readonly IdBytes[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<TimedResult[]> {
  const results: TimedResult[] = [];
  if (from >= to) return results;
  const bounds = { first: firstIdAt(from), end: firstIdAt(to) };
  for (let start = 0; start < checks.length; start += checksAtOnce) {
    const group = checks.slice(start, start + checksAtOnce);
    const rows = await readSome(reader, account, group, bounds);
    if (rows.length <= resultsAtOnce) results.push(...rows);
    else for (const check of group) results.push(...(await readOne(reader, account, check, bounds)));
    if (start + checksAtOnce < checks.length) await breathe();
  }
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
