// Enforces account limits when something is added.
import { countRows, findRow, selectRows } from './rows.ts';
import { sql } from 'kysely';
import { type AccountLimits, type LimitName, LimitReachedError } from '#domain/accounts/account.ts';
import { idBytes, parsedOrNull } from './codec.ts';
import type { Database } from './database.ts';
import type { Db } from './tables/schema.ts';

/** Where the resources are counted. */
const tables = {
  checks: 'checks',
  checkGroups: 'check_groups',
  alertChannels: 'alert_channels',
  maintenanceWindows: 'maintenance_windows',
  apiKeys: 'api_key_accounts',
  variables: 'variables',
  clientCertificates: 'client_certificates',
  privateLocations: 'private_locations',
  snippets: 'snippets',
  statusPages: 'status_pages',
  statusServices: 'status_services',
  statusIncidents: 'status_incidents',
  statusSubscribers: 'status_subscribers',
} as const;

/** A limit on the number of resources. */
export type CountedLimit = keyof typeof tables;

/**
 * Refuses to exceed an account limit. Call it in the transaction that adds the resource: concurrent additions to the
 * account wait or are repeated.
 * @param added number of new resources
 * @throws {LimitReachedError}
 */
export async function requireWithinLimit(
  { limits }: Pick<Database, 'limits'>,
  tx: Db,
  accountId: string,
  name: CountedLimit,
  added = 1,
): Promise<void> {
  const limit = await readLimit(limits, tx, accountId, name);
  if (limit === 0) return;
  await waitForOthers(tx, accountId);
  const used = await countUsed(tx, accountId, name);
  if (used + added > limit) throw new LimitReachedError(name, used, limit);
}

/**
 * Refuses what exceeds a limit on the size of what an account stores: its variables, names and values together, or the
 * files of its scripts. Making something smaller is always allowed. Call it in the transaction, after writing.
 * @param addedBytes increase in size
 * @throws {LimitReachedError}
 */
export async function requireBytes(
  { limits }: Pick<Database, 'limits'>,
  tx: Db,
  accountId: string,
  name: 'variableBytes' | 'scriptFileBytes',
  addedBytes: number,
): Promise<void> {
  if (addedBytes <= 0) return;
  const limit = await readLimit(limits, tx, accountId, name);
  if (limit === 0) return;
  await waitForOthers(tx, accountId);
  const bytes = await countUsed(tx, accountId, name);
  if (bytes > limit) throw new LimitReachedError(name, bytes - addedBytes, limit);
}

/** How much of a limit an account uses. */
export async function countUsed(db: Db, accountId: string, name: LimitName): Promise<number> {
  const account = idBytes(accountId);
  if (name === 'scriptFileBytes') {
    const { bytes } = await selectRows(db, 'script_files', { account_id: account })
      .select(sql<number>`coalesce(sum(counted), 0)`.as('bytes'))
      .executeTakeFirstOrThrow();
    return bytes;
  }
  if (name !== 'variableBytes') return countRows(db, tables[name], { account_id: account });
  const { bytes } = await selectRows(db, 'variables', { account_id: account })
    .select(sql<number>`coalesce(sum(octet_length(key) + octet_length(value)), 0)`.as('bytes'))
    .executeTakeFirstOrThrow();
  return bytes;
}

/** 0 = unlimited. */
export async function readLimit(limits: AccountLimits, tx: Db, accountId: string, name: LimitName): Promise<number> {
  const account = await findRow(tx, 'accounts', { id: idBytes(accountId) }, ['limits']);
  return parsedOrNull<AccountLimits>(account?.limits ?? null)?.[name] ?? limits[name] ?? 0;
}

/**
 * Locks the revision of the account, which every write of it changes, without changing it, because this write may still
 * be refused.
 */
export async function waitForOthers(tx: Db, accountId: string): Promise<void> {
  await tx
    .insertInto('counters')
    .values({ account_id: idBytes(accountId), noun: 'revision', last: 0 })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'noun']).doUpdateSet((row) => ({ last: row.ref('counters.last') })),
    )
    .execute();
}
