// How many of something an account may have, judged where one more is added.
import { type Kysely, sql } from 'kysely';
import { type AccountLimits, type LimitName, LimitReachedError } from '#domain/accounts/account.ts';
import { idBytes, parsedOrNull } from './codec.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables/schema.ts';

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
  name: keyof typeof tables,
): Promise<void> {
  const limit = await limitOf(limits, tx, accountId, name);
  if (limit === 0) return;
  await waitForOthers(tx, accountId);
  const { used } = await tx
    .selectFrom(tables[name])
    .select((row) => row.fn.countAll<number>().as('used'))
    .where('account_id', '=', idBytes(accountId))
    .executeTakeFirstOrThrow();
  if (used >= limit) throw new LimitReachedError(name, used, limit);
}

/**
 * Refuses a variable that makes the account's variables larger than they may be, names and values together as stored. One
 * that becomes smaller is never refused. Belongs in the transaction that writes the variable, after it was written.
 *
 * @param addedBytes by how much the account's variables grow with it
 * @throws {LimitReachedError}
 */
export async function requireVariableBytes(
  { limits }: Pick<Database, 'limits'>,
  tx: Kysely<Tables>,
  accountId: string,
  addedBytes: number,
): Promise<void> {
  if (addedBytes <= 0) return;
  const limit = await limitOf(limits, tx, accountId, 'variableBytes');
  if (limit === 0) return;
  await waitForOthers(tx, accountId);
  const { bytes } = await tx
    .selectFrom('variables')
    .select(sql<number>`coalesce(sum(octet_length(key) + octet_length(value)), 0)`.as('bytes'))
    .where('account_id', '=', idBytes(accountId))
    .executeTakeFirstOrThrow();
  if (bytes > limit) throw new LimitReachedError('variableBytes', bytes - addedBytes, limit);
}

/** 0 = no limit. */
async function limitOf(limits: AccountLimits, tx: Kysely<Tables>, accountId: string, name: LimitName): Promise<number> {
  const account = await tx
    .selectFrom('accounts')
    .select('limits')
    .where('id', '=', idBytes(accountId))
    .executeTakeFirst();
  return parsedOrNull<AccountLimits>(account?.limits ?? null)?.[name] ?? limits[name] ?? 0;
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
