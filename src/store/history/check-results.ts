// Results as the API reads them: lists, single results, and complete exchanges.
import { findRow, inAccount, selectRows } from '../base/rows.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Outcome, Reason } from '#domain/results/result.ts';
import type { TestSource } from '#domain/sessions/test-session.ts';
import type { RunSource } from '#domain/checks/run.ts';
import { createFairQueue, type EnterQueue } from '#lib/fair-queue.ts';
import { firstIdAt, idBytes, idText, parsed } from '../base/codec.ts';
import { outcomeCodes, reasonCodes, sourceCodes } from '../base/codes.ts';
import type { Database, Page, Slice } from '../base/database.ts';
import { unpacked } from '../base/packed.ts';
import { type TotalScope, totalOfResults } from './result-totals.ts';
import type { Db, ResultsTable } from '../base/tables/schema.ts';
import { headInSlices, type IdRange, pageInSlices, type SlicedList } from '../base/slices.ts';

/** A stored result. Times are epoch ms. */
export interface StoredResult {
  readonly accountId: string;
  readonly checkId: string;
  readonly id: string;
  readonly runId: string;
  /** The last attempt of its run, whose outcome counts. */
  readonly isFinal: boolean;
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly reason: Reason | null;
  readonly message: string | null;
  readonly location: string;
  readonly source: RunSource | TestSource;
  /** Slots it covers: more than 1 for consecutive missed ones. */
  readonly slots: number;
  readonly startedAt: number;
  readonly stoppedAt: number;
  /** ms with decimals; null without a response. */
  readonly responseTimeMs: number | null;
  readonly details: JsonValue;
  /** Complete request and response, if stored. */
  readonly exchange: JsonObject | null;
}

/** Filters for the results of a check. Times are epoch ms, inclusive. */
export interface ResultFilter {
  readonly location?: string;
  readonly hasFailures?: boolean;
  readonly outcome?: Outcome;
  readonly resultType: 'FINAL' | 'ATTEMPT' | 'ALL';
  readonly from?: number;
  readonly to?: number;
}

/** Results of checks, newest first. */
export function createCheckResults({ reader, dialect, clock }: Database) {
  const exchanges = {
    reader,
    rowsAtOnce: dialect.rowsAtOnce === null ? null : exchangesAtOnce,
    fairQueue: createFairQueue(),
  };
  const sliced = (accountId: string, checkId: string, filter: ResultFilter) =>
    slicedResults({ reader, dialect, clock }, accountId, checkId, filter);
  return {
    async list(accountId: string, checkId: string, filter: ResultFilter, page: Slice): Promise<Page<StoredResult>> {
      const { rows, total } = await pageInSlices(sliced(accountId, checkId, filter), page);
      return { rows: await withExchanges(exchanges, rows), total };
    },
    /** Older than the result `before`; null = from the newest. */
    async walk(
      accountId: string,
      checkId: string,
      filter: ResultFilter,
      before: string | null,
      limit: number,
    ): Promise<StoredResult[]> {
      const start = before === null ? null : idBytes(before);
      const rows = await headInSlices(sliced(accountId, checkId, filter), start, limit);
      return withExchanges(exchanges, rows);
    },
    async find(accountId: string, checkId: string, id: string): Promise<StoredResult | null> {
      const row = await findRow(reader, 'results', {
        account_id: idBytes(accountId),
        check_id: idBytes(checkId),
        id: idBytes(id),
      });
      return row === undefined ? null : ((await withExchanges(exchanges, [row]))[0] ?? null);
    },
    /** A result whose check is unknown to the caller; searches all checks of the account. */
    async findAnywhere(accountId: string, id: string): Promise<StoredResult | null> {
      const row = await reader
        .selectFrom('checks')
        .innerJoin('results', inAccount('results.check_id', 'checks.id'))
        .selectAll('results')
        .where('checks.account_id', '=', idBytes(accountId))
        .where('results.id', '=', idBytes(id))
        .executeTakeFirst();
      return row === undefined ? null : ((await withExchanges(exchanges, [row]))[0] ?? null);
    },
    /** Name and type of a check; null = unknown check. */
    async subject(accountId: string, checkId: string): Promise<{ name: string; checkType: CheckType } | null> {
      const key = { account_id: idBytes(accountId), id: idBytes(checkId) };
      const row = await findRow(reader, 'checks', key, ['name', 'check_type']);
      return row === undefined ? null : { name: row.name, checkType: row.check_type };
    },
  };
}

const failed = outcomeCodes.encode('failed');
const recentMs = 86_400_000;

function slicedResults(
  { reader, dialect, clock }: Pick<Database, 'reader' | 'dialect' | 'clock'>,
  accountId: string,
  checkId: string,
  filter: ResultFilter,
): SlicedList<ResultsTable> {
  const scoped = ({ from, before }: IdRange) => {
    let query = selectRows(reader, 'results', { account_id: idBytes(accountId), check_id: idBytes(checkId) });
    // The first 48 bits of an ID are its time, so a time range is a range of the key.
    if (filter.from !== undefined) query = query.where('id', '>=', firstIdAt(filter.from));
    if (filter.to !== undefined) query = query.where('id', '<', firstIdAt(filter.to + 1));
    if (from !== null) query = query.where('id', '>=', from);
    return before === null ? query : query.where('id', '<', before);
  };
  const filtered = (range: IdRange) => {
    let query = scoped(range);
    if (filter.location !== undefined) query = query.where('location', '=', filter.location);
    if (filter.hasFailures !== undefined) query = query.where('outcome', filter.hasFailures ? '=' : '!=', failed);
    if (filter.outcome !== undefined) query = query.where('outcome', '=', outcomeCodes.encode(filter.outcome));
    if (filter.resultType === 'ALL') return query;
    return query.where('run_id', filter.resultType === 'FINAL' ? 'is' : 'is not', null);
  };
  // Without a filter on columns.
  const { location, hasFailures, outcome, resultType } = filter;
  const isPlain = [location, hasFailures, outcome].every((value) => value === undefined) && resultType !== 'ATTEMPT';
  const totalScope = (): TotalScope => ({
    reader,
    account: idBytes(accountId),
    check: idBytes(checkId),
    withAttempts: filter.resultType === 'ALL',
    from: filter.from ?? null,
    to: filter.to === undefined ? null : filter.to + 1,
    rows: scoped,
  });
  return {
    sliceSize: dialect.rowsAtOnce,
    recentFrom: dialect.hasDays && filter.from === undefined ? firstIdAt(clock.now() - recentMs) : null,
    async edge(before, size) {
      const ids = scoped({ from: null, before }).select('id').orderBy('id', 'desc');
      return (
        (
          await ids
            .limit(1)
            .offset(size - 1)
            .executeTakeFirst()
        )?.id ?? null
      );
    },
    async count(range) {
      const isWhole = range.from === null && range.before === null;
      if (isWhole && isPlain && dialect.hasDays) return totalOfResults(totalScope());
      const counted = filtered(range).select((row) => row.fn.countAll<number>().as('rows'));
      return (await counted.executeTakeFirstOrThrow()).rows;
    },
    rows: (range, limit, offset) =>
      filtered(range).selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute(),
  };
}

/** Exchanges per statement on SQLite, which blocks the event loop: each has up to about 100 kB. */
const exchangesAtOnce = 5;
/** Characters of exchanges parsed per turn of the event loop. */
const parsedAtOnce = 256 * 1024;

interface ExchangeReader {
  readonly reader: Db;
  /** Number of results whose exchanges one statement reads; null = all. */
  readonly rowsAtOnce: number | null;
  readonly fairQueue: EnterQueue;
}

/** Rows of a check with their stored exchanges, parsed in slices: a page may contain ten megabytes. */
async function withExchanges(
  { reader, rowsAtOnce, fairQueue }: ExchangeReader,
  rows: readonly ResultsTable[],
): Promise<StoredResult[]> {
  const results: StoredResult[] = [];
  const size = rowsAtOnce ?? rows.length;
  let characters = 0;
  for (let at = 0; at < rows.length; at += size) {
    const some = rows.slice(at, at + size);
    const exchanges = await readExchanges(reader, some);
    for (const row of some) {
      const exchange = exchanges.get(idText(row.id)) ?? null;
      const result = resultOf(row, exchange);
      results.push(result);
      characters += exchange?.length ?? 0;
      if (characters < parsedAtOnce) continue;
      await fairQueue(result.accountId, characters);
      characters = 0;
    }
  }
  return results;
}

/** Stored exchanges of some results of a check, as JSON by result ID. */
async function readExchanges(reader: Db, rows: readonly ResultsTable[]): Promise<Map<string, string>> {
  const [first] = rows;
  if (first === undefined) return new Map();
  const ids = rows.map(({ id }) => id).toSorted((a, b) => Buffer.compare(a, b));
  const [least = first.id, max = first.id] = [ids[0], ids.at(-1)];
  const exchanges = new Map<string, string>();
  const read = async (table: 'exchanges' | 'passing_exchanges'): Promise<void> => {
    const kept = await reader
      .selectFrom(table)
      .select(['result_id', 'exchange'])
      .where('account_id', '=', first.account_id)
      .where('check_id', '=', first.check_id)
      .where('result_id', 'in', ids)
      // Restricts the partitions to read.
      .where('result_id', '>=', least)
      .where('result_id', '<=', max)
      .execute();
    for (const { result_id, exchange } of kept) exchanges.set(idText(result_id), exchange);
  };
  await Promise.all([read('exchanges'), read('passing_exchanges')]);
  return exchanges;
}

function resultOf(row: ResultsTable, exchange: string | null): StoredResult {
  const id = idText(row.id);
  return {
    accountId: idText(row.account_id),
    checkId: idText(row.check_id),
    id,
    runId: row.run_id === null ? id : idText(row.run_id),
    isFinal: row.run_id === null,
    attempt: row.attempt,
    outcome: outcomeCodes.decode(row.outcome),
    reason: row.reason === null ? null : reasonCodes.decode(row.reason),
    message: row.message,
    location: row.location,
    source: sourceCodes.decode(row.source),
    slots: row.slots,
    startedAt: row.started_at,
    stoppedAt: row.started_at + row.duration_ms,
    responseTimeMs: row.response_us === null ? null : row.response_us / 1000,
    details: row.details === null ? null : unpacked(row.details),
    exchange: exchange === null ? null : parsed<JsonObject>(exchange),
  };
}
