// What statuses are made of, read in statements that do not hold the loop for long.
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { StatusOfCheck } from '#domain/checks/status-of-check.ts';
import { type IdBytes, idBytes, idOfDigits } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Dialect } from '../base/dialect.ts';
import { type CheckPart, type KeyRange, type StatePart, statusOf } from './known-statuses.ts';
import type { Tables } from '../base/tables/schema.ts';
import { instantsFrom, type News } from './state-tally.ts';

/** Checks read in one statement at most: bounds how long a list of thousands holds the loop. */
const checksAtOnce = 1000;
/** States read in one statement at most: a power of two, because lists are filled up to one. */
const statesAtOnce = 512;
const stateColumns = [
  'status',
  'since',
  'last_outcome',
  'last_reason',
  'last_location',
  'last_result_id',
  'certificate_valid_to',
  'longest_response_us',
  'shortest_response_us',
  'updated_at',
] as const satisfies readonly (keyof StatePart)[];

/** The rows of an account. */
export interface StatusRows {
  /** How many changes of its checks the account has had. */
  revision(accountId: string): Promise<number>;
  /** Its checks, oldest first. */
  checks(accountId: string): Promise<CheckPart[]>;
  /** A line for each state of the range: the digits of the check's id, and what is another text for another state. */
  stamps(accountId: string, range: KeyRange): Promise<string>;
  /** What is new in a range since an instant, epoch ms. */
  news(accountId: string, range: KeyRange, since: number): Promise<News>;
  /** States of checks, by the digits of their ids. */
  states(accountId: string, keys: readonly string[]): Promise<(readonly [key: string, state: StatePart])[]>;
  one(accountId: string, checkId: string): Promise<StatusOfCheck | null>;
}

export function createStatusRows({ reader, dialect }: Database): StatusRows {
  const stateKey = dialect.idDigits('check_id').$castTo<string>();
  const ownChecks = (accountId: string) => checkParts(reader, dialect, accountId);
  const ownStates = (accountId: string) =>
    reader.selectFrom('check_states').where('account_id', '=', idBytes(accountId));
  return {
    revision: (accountId) => readRevision(reader, accountId),
    async checks(accountId) {
      const checks: CheckPart[] = [];
      for (;;) {
        const last = checks.at(-1);
        let query = ownChecks(accountId).orderBy('checks.created_at').orderBy('checks.id').limit(checksAtOnce);
        if (last !== undefined) {
          const id = idBytes(idOfDigits(last.key));
          query = query.where((row) =>
            row(row.refTuple('checks.created_at', 'checks.id'), '>', row.tuple(last.created_at, id)),
          );
        }
        const rows = await query.execute();
        checks.push(...rows);
        if (rows.length < checksAtOnce) return checks;
        await breathe();
      }
    },
    ...readStamps(ownStates, dialect),
    async states(accountId, keys) {
      const states: (readonly [string, StatePart])[] = [];
      for (let start = 0; start < keys.length; start += statesAtOnce) {
        const rows = await ownStates(accountId)
          .select([stateKey.as('key'), ...stateColumns])
          .where('check_id', 'in', filledUp(keys.slice(start, start + statesAtOnce)))
          .execute();
        for (const { key, ...state } of rows) states.push([key, state]);
        await breathe();
      }
      return states;
    },
    async one(accountId, checkId) {
      const check = await ownChecks(accountId).where('checks.id', '=', idBytes(checkId)).executeTakeFirst();
      if (check === undefined) return null;
      const states = ownStates(accountId).select(stateColumns).where('check_id', '=', idBytes(checkId));
      return statusOf(check, (await states.executeTakeFirst()) ?? null);
    },
  };
}

/** The checks of an account, each with its slots or whether it is an active heartbeat. */
function checkParts(reader: Kysely<Tables>, dialect: Dialect, accountId: string) {
  return reader
    .selectFrom('checks')
    .leftJoin('schedules', (join) =>
      join.onRef('schedules.account_id', '=', 'checks.account_id').onRef('schedules.check_id', '=', 'checks.id'),
    )
    .leftJoin('heartbeats', (join) =>
      join.onRef('heartbeats.account_id', '=', 'checks.account_id').onRef('heartbeats.check_id', '=', 'checks.id'),
    )
    .select([
      dialect.idDigits('checks.id').$castTo<string>().as('key'),
      'checks.name',
      'checks.created_at',
      'checks.updated_at',
      'schedules.interval_ms',
      'schedules.phase_ms',
      'heartbeats.is_active',
    ])
    .where('checks.account_id', '=', idBytes(accountId));
}

/** @param ownStates the states of an account */
function readStamps(
  ownStates: (accountId: string) => SelectQueryBuilder<Tables, 'check_states', object>,
  dialect: Dialect,
): Pick<StatusRows, 'stamps' | 'news'> {
  const within = (accountId: string, { first, last }: KeyRange) =>
    ownStates(accountId).where('check_id', '>=', first).where('check_id', '<=', last);
  const line = sql`concat(${dialect.idDigits('check_id')}, ${dialect.stateStamp(stateColumns)})`;
  const lines = sql<string | null>`string_agg(${line}, ${sql.lit('\n')})`;
  return {
    async stamps(accountId, range) {
      const row = await within(accountId, range).select(lines.as('stamps')).executeTakeFirst();
      return row?.stamps ?? '';
    },
    news: (accountId, range, since) =>
      within(accountId, range)
        .select(({ fn }) => [
          fn.countAll<number>().as('rows'),
          dialect.stateVersions.as('versions'),
          sql<number>`coalesce(sum(updated_at - ${sql.lit(instantsFrom)}), 0)`.as('instants'),
          sql<string | null>`${lines} filter (where updated_at >= ${since})`.as('stamps'),
        ])
        .executeTakeFirstOrThrow(),
  };
}

async function readRevision(reader: Kysely<Tables>, accountId: string): Promise<number> {
  const row = await reader
    .selectFrom('counters')
    .select('last')
    .where('account_id', '=', idBytes(accountId))
    .where('noun', '=', 'revision')
    .executeTakeFirst();
  return row?.last ?? 0;
}

/** Lets others have their turn. */
export const breathe = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Ids of keys, the last one again and again up to a power of two: so that there are few statements to prepare. */
function filledUp(keys: readonly string[]): IdBytes[] {
  const ids = keys.map((key) => idBytes(idOfDigits(key)));
  const last = ids.at(-1);
  const size = 2 ** Math.ceil(Math.log2(ids.length));
  return last === undefined ? ids : [...ids, ...Array.from({ length: size - ids.length }, () => last)];
}
