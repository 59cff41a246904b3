// How many of something an account may have, judged where one more is added.
import type { Kysely } from 'kysely';
import { type AccountLimits, type LimitName, LimitReachedError } from '#domain/account.ts';
import { idBytes, parsedOrNull } from './codec.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** Where they are counted. */
const tables = {
  checks: 'checks',
  checkGroups: 'check_groups',
  alertChannels: 'alert_channels',
  maintenanceWindows: 'maintenance_windows',
  apiKeys: 'api_key_accounts',
  variables: 'variables',
  clientCertificates: 'client_certificates',
} as const;

/**
 * Refuses one more of something that the account has as many of as it may. Belongs in the transaction that adds it: others
 * that add to the account meanwhile wait, or begin anew.
 *
 * @throws {LimitReachedError}
 */
export async function requireRoom(
  { limits }: Pick<Database, 'limits'>,
  tx: Kysely<Tables>,
  accountId: string,
  name: LimitName,
): Promise<void> {
  const account = await tx
    .selectFrom('accounts')
    .select('limits')
    .where('id', '=', idBytes(accountId))
    .executeTakeFirst();
  const limit = parsedOrNull<AccountLimits>(account?.limits ?? null)?.[name] ?? limits[name] ?? 0;
  if (limit === 0) return;
  await waitForOthers(tx, accountId);
  const { used } = await tx
    .selectFrom(tables[name])
    .select((row) => row.fn.countAll<number>().as('used'))
    .where('account_id', '=', idBytes(accountId))
    .executeTakeFirstOrThrow();
  if (used >= limit) throw new LimitReachedError(name, used, limit);
}

/** Holds the revision of the account, whose row every write of it changes; leaves it as it is, because nothing may come of this one. */
export async function waitForOthers(tx: Kysely<Tables>, accountId: string): Promise<void> {
  await tx
    .insertInto('counters')
    .values({ account_id: idBytes(accountId), noun: 'revision', last: 0 })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'noun']).doUpdateSet((row) => ({ last: row.ref('counters.last') })),
    )
    .execute();
}
