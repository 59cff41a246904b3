// Results in the form that roll-ups count, for hours that are not rolled up yet.
import { selectRows } from '../base/rows.ts';
import { sql } from 'kysely';
import type { RollUpParts } from '#domain/results/detailed-roll-up.ts';
import { firstIdAt, idBytes, type IdBytes, idOfDigits } from '../base/codec.ts';
import { breathe } from '../base/slices.ts';
import type { Dialect } from '../base/dialect.ts';
import type { RawResult } from './roll-ups.ts';
import type { Db } from '../base/tables/schema.ts';

/**
 * A result of a check. IDs are hex digits: thousands are read per page, and byte arrays are several times slower than
 * texts.
 */
export interface TimedResult extends RawResult {
  readonly check_digits: string;
  readonly id_digits: string;
}

/** Slot of a result, epoch ms, from its ID. */
export function slotOf({ id_digits }: TimedResult): number {
  return Number.parseInt(id_digits.slice(0, 12), 16);
}

/** Maximum number of results per statement, because it blocks the event loop. */
const resultsAtOnce = 2000;
/** Number of checks per statement; if their results are too many, one check at a time. */
const checksAtOnce = 25;

/** The checks to read. */
export interface ResultsScope {
  readonly reader: Db;
  readonly dialect: Pick<Dialect, 'idDigits' | 'idIn'>;
  readonly account: IdBytes;
  /** Whether concurrent statements are faster. */
  readonly areTogether: boolean;
  /** Data in addition to sums; details are read for nothing else. */
  readonly parts: RollUpParts | null;
}

/** All results of a time range (epoch ms, `to` exclusive). */
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

/** Reads one more than the limit, to detect that there are more. */
function readSome(
  { reader, dialect, account, parts }: ResultsScope,
  checks: readonly IdBytes[],
  { first, end }: Bounds,
): Promise<TimedResult[]> {
  const query = selectRows(reader, 'results', { account_id: account })
    .select(['outcome', 'location', 'slots', 'interval_ms', 'response_us'])
    .select(dialect.idDigits('check_id').$castTo<string>().as('check_digits'))
    .select(dialect.idDigits('id').$castTo<string>().as('id_digits'))
    .select((parts === null ? sql<string | null>`null` : dialect.idDigits('details')).as('details_digits'))
    .select(sql<IdBytes | null>`case when slots > 1 then id end`.as('id'))
    .select(sql<number>`case when run_id is null then 1 else 0 end`.as('is_final'))
    .where(dialect.idIn('check_id', checks))
    .where('results.id', '>=', first)
    .where('results.id', '<', end);
  return (checks.length === 1 ? query.orderBy('results.id') : query).limit(resultsAtOnce + 1).execute();
}
