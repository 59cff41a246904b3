// Common interface of all store files to an engine.
import type { AccountLimits } from '#domain/accounts/account.ts';
import type { Clock } from '#lib/clock.ts';
import { type IdBytes, idBytes } from './codec.ts';
import type { Dialect } from './dialect.ts';
import type { Db } from './tables/schema.ts';
import type { Seal } from './seal.ts';

/** The query builder over one engine, which every store file uses. */
export interface Database {
  readonly dialect: Dialect;
  /** Reads committed data. */
  readonly reader: Db;
  /** A transaction, durable once it resolves. Await only queries on `tx` inside. */
  readonly transaction: <Answer>(work: (tx: Db) => Promise<Answer>) => Promise<Answer>;
  /**
   * A transaction that updates counters of the pipeline, hundreds of times a second: on PostgreSQL it waits for row
   * locks instead of being repeated, and locks what it depends on (docs/decisions/0032).
   */
  readonly waitingTransaction: Database['transaction'];
  readonly seal: Seal;
  readonly clock: Clock;
  /** Default limits of resources per account; 0 or absent = unlimited. */
  readonly limits: AccountLimits;
  /** Code of this server's own run location, for checks without a location. */
  readonly ownLocation: string;
}

/** Which rows of a list. */
export interface Slice {
  readonly limit: number;
  readonly offset: number;
}

/** Some rows of a list, and how many it has. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly total: number;
}

/**
 * The next number of a resource in an account: numeric IDs are assigned per account and never reused.
 * @param count takes so many numbers, of which it returns the first
 */
export async function nextNumber(tx: Db, accountId: string, noun: string, count = 1): Promise<number> {
  const row = await tx
    .insertInto('counters')
    .values({ account_id: idBytes(accountId), noun, last: count })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'noun']).doUpdateSet((row) => ({ last: row('counters.last', '+', count) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow();
  return row.last - count + 1;
}

/**
 * Marks something that runs depend on (check, group, variable, channel) as changed in this account, which invalidates
 * caches. Call it in the transaction of the change.
 */
export async function touchAccount(tx: Db, accountId: string): Promise<void> {
  await nextNumber(tx, accountId, 'revision');
}

/**
 * Blocks changes in this account until the transaction ends. Changes in progress are awaited, and those that began
 * meanwhile are repeated, because its row changes.
 */
export async function lockAccount(tx: Db, accountId: string): Promise<void> {
  await tx
    .updateTable('counters')
    .set((row) => ({ last: row.ref('last') }))
    .where('account_id', '=', idBytes(accountId))
    .where('noun', '=', 'revision')
    .execute();
}

/** Shorthand for `WHERE account_id = …`. */
export function ownedBy(accountId: string): { account_id: IdBytes } {
  return { account_id: idBytes(accountId) };
}
