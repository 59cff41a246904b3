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
  const move = await tx
    .selectFrom('account_moves')
    .select('state')
    .where('account_id', '=', idBytes(accountId))
    .executeTakeFirst();
  if (move === undefined || move.state === 'arrived') return;
  throw new StoreUnavailableError('the account is being moved to another installation');
}
