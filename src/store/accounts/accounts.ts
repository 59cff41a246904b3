// Accounts: settings, execution limit and usage.
import { recordMapping } from '../base/records.ts';
import { findRow, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import type { Principal } from '#domain/accounts/api-key.ts';
import { type Account, monthEnd, monthStart, type Usage } from '#domain/accounts/account.ts';
import { type Change, merged } from '#domain/patch.ts';
import { idBytes } from '../base/codec.ts';
import { type Database, touchAccount } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import { addMembership } from './users.ts';

/** Accounts as rows. */
export const accountRows = recordMapping<Account, 'accounts'>({
  id: 'id',
  name: 'plain',
  runtimeId: 'plain',
  settings: 'json',
  alertSettings: 'json',
  executionLimit: 'plain',
  limits: 'json',
  timeZone: 'plain',
  requiresSecondFactor: 'flag',
  createdAt: 'plain',
});

/** Fields of an account that can be changed. */
export type AccountChange = Change<Omit<Account, 'id' | 'createdAt'>>;

/** How long a cached account is used: changes by this process are visible at once, by others after this. */
const cacheMs = 1000;

/** Accounts, their usage, and the keys with access to them. */
export function createAccounts(database: Database) {
  const { reader, clock } = database;
  const kept = new Map<string, { readonly account: Account; readonly readAt: number }>();
  let changes = 0;

  const readAll = async (ids: readonly string[], now: number): Promise<void> => {
    const changesBefore = changes;
    const rows = await findRows(reader, 'accounts', { id: ids.map(idBytes) });
    for (const account of rows.map(accountRows.recordOf)) {
      // A read that began before a change is returned, but not cached.
      kept.set(account.id, { account, readAt: changesBefore === changes ? now : 0 });
    }
  };

  return {
    /** Ordered by ID; unknown IDs are omitted. May miss changes by other processes for up to a second. */
    async list(ids: readonly string[]): Promise<Account[]> {
      const now = clock.now();
      const isFresh = (id: string) => Math.abs(now - (kept.get(id)?.readAt ?? 0)) < cacheMs;
      const stale = ids.filter((id) => !isFresh(id));
      if (stale.length > 0) {
        for (const id of stale) kept.delete(id);
        await readAll(stale, now);
      }
      return ids.flatMap((id) => kept.get(id)?.account ?? []);
    },
    /** Adds the account to the calling key as its last one; a person becomes its owner. */
    add: (account: Account, { kind, id }: Pick<Principal, 'kind' | 'id'>): Promise<void> =>
      database.transaction(async (tx) => {
        await insertRows(tx, 'accounts', accountRows.rowOf(account));
        if (kind === 'api-key') await addToKey(tx, id, account.id);
        else await addMembership(tx, id, { accountId: account.id, role: 'owner' }, account.createdAt);
      }),
    /** null = unknown ID. */
    async change(id: string, change: AccountChange): Promise<Account | null> {
      const changed = await changeAccount(database, id, change);
      changes++;
      kept.delete(id);
      return changed;
    },
    /** How often the links of badges of the account were revoked; null = unknown account. */
    async badgeGeneration(id: string): Promise<number | null> {
      return (await findRow(reader, 'accounts', { id: idBytes(id) }, ['badge_generation']))?.badge_generation ?? null;
    },
    /** Revokes the links of all badges of the account. */
    revokeBadgeLinks: (id: string): Promise<void> =>
      database.transaction(async (tx) => {
        const row = await findRow(tx, 'accounts', { id: idBytes(id) });
        if (row === undefined) return;
        await updateRows(tx, 'accounts', { id: row.id }, { badge_generation: row.badge_generation + 1 });
      }),
    /** Usage in the UTC month that contains `at` (epoch ms); null = unknown account. */
    usage: (id: string, at: number) => readUsage(database, id, at),
  };
}

/** Gives an API key access to one more account. */
export async function addToKey(tx: Db, keyId: string, accountId: string): Promise<void> {
  const { last } = await selectRows(tx, 'api_key_accounts', { api_key_id: idBytes(keyId) })
    .select((row) => row.fn.max('position').as('last'))
    .executeTakeFirstOrThrow();
  await insertRows(tx, 'api_key_accounts', {
    api_key_id: idBytes(keyId),
    account_id: idBytes(accountId),
    position: (last ?? -1) + 1,
  });
}

async function changeAccount(database: Database, id: string, change: AccountChange): Promise<Account | null> {
  return database.transaction(async (tx) => {
    const row = await findRow(tx, 'accounts', { id: idBytes(id) });
    if (row === undefined) return null;
    const present = accountRows.recordOf(row);
    const next: Account = { ...present, ...merged<Omit<Account, 'id' | 'createdAt'>>(change, present) };
    const { id: key, ...values } = accountRows.rowOf(next);
    await updateRows(tx, 'accounts', { id: key }, values);
    await touchAccount(tx, id);
    return next;
  });
}

async function readUsage({ reader }: Database, id: string, at: number): Promise<Usage | null> {
  const from = monthStart(at);
  const row = await reader
    .selectFrom('accounts')
    .leftJoin('usage', (join) => join.onRef('usage.account_id', '=', 'accounts.id').on('usage.month', '=', from))
    .select(['accounts.execution_limit as limit', 'usage.used as used'])
    .where('accounts.id', '=', idBytes(id))
    .executeTakeFirst();
  return row === undefined ? null : { from, to: monthEnd(at), used: row.used ?? 0, limit: row.limit };
}
