// No change is made in an account that is on its way to another installation.
import type { Kysely } from 'kysely';
import { idBytes } from './codec.ts';
import type { Tables } from './schema.ts';
import { StoreUnavailableError } from './unavailable.ts';

/**
 * Part of the transaction of every change in an account: none is made while the account is on its way, or it would be
 * lost. Throws StoreUnavailableError.
 */
export async function refuseMoving(tx: Kysely<Tables>, accountId: string): Promise<void> {
  if (!(await isMoving(tx, accountId))) return;
  throw new StoreUnavailableError('the account is being moved to another installation');
}

/** Whether the account is on its way to another installation or back, or has left, as this transaction sees it. */
export async function isMoving(tx: Kysely<Tables>, accountId: string): Promise<boolean> {
  const move = await tx
    .selectFrom('account_moves')
    .select('state')
    .where('account_id', '=', idBytes(accountId))
    .executeTakeFirst();
  return move !== undefined && move.state !== 'arrived';
}
