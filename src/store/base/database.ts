// What every noun's file of this room is written against.
import type { Kysely } from 'kysely';
import type { AccountLimits } from '#domain/accounts/account.ts';
import type { Clock } from '#lib/clock.ts';
import { type IdBytes, idBytes } from './codec.ts';
import type { Dialect } from './dialect.ts';
import type { Tables } from './tables/schema.ts';
import type { Seal } from './seal.ts';

/** The query builder over one engine: what every noun's file in this room is written against. */
export interface Database {
  readonly dialect: Dialect;
  /** Reads what is committed. */
  readonly reader: Kysely<Tables>;
  /** All of it or nothing; durable when it resolves. Await only queries on `tx` inside. */
  readonly transaction: <Answer>(work: (tx: Kysely<Tables>) => Promise<Answer>) => Promise<Answer>;
  /**
   * The same for work that counts where the path counts, hundreds of times a second: on PostgreSQL it waits for who is at
   * a row, instead of losing to him, and holds by itself what it depends on (docs/decisions/0032).
   */
  readonly waitingTransaction: Database['transaction'];
  readonly seal: Seal;
  readonly clock: Clock;
  /** How many of each thing an account may have, unless its own limits say otherwise; 0 or absent = no limit. */
  readonly limits: AccountLimits;
  /** Code of this server's own run location: where checks run that name none. */
  readonly ownLocation: string;
}

/** The next number of a noun in an account: numeric ids count up per account, and none is given twice. */
export async function nextNumber(tx: Kysely<Tables>, accountId: string, noun: string): Promise<number> {
  const row = await tx
    .insertInto('counters')
    .values({ account_id: idBytes(accountId), noun, last: 1 })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'noun']).doUpdateSet((row) => ({ last: row('counters.last', '+', 1) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow();
  return row.last;
}

/**
 * Says that something a run depends on (check, group, variable, channel) was changed in this account, so that what was
 * read before is read again. Belongs in the transaction of the change.
 */
export async function touchAccount(tx: Kysely<Tables>, accountId: string): Promise<void> {
  await nextNumber(tx, accountId, 'revision');
}

/**
 * Lets no change be made in this account until the transaction is over: those under way are waited for, and those that
 * began meanwhile begin anew, because its row is another then.
 */
export async function holdAccount(tx: Kysely<Tables>, accountId: string): Promise<void> {
  await tx
    .updateTable('counters')
    .set((row) => ({ last: row.ref('last') }))
    .where('account_id', '=', idBytes(accountId))
    .where('noun', '=', 'revision')
    .execute();
}

/** `WHERE account_id = …` in one word. */
export function ownedBy(accountId: string): { account_id: IdBytes } {
  return { account_id: idBytes(accountId) };
}
