// Results of deleted checks that were too many to delete at once: recorded with the deletion, and deleted in slices
// later.
import { deleteRows, insertRows, selectRows } from '../base/rows.ts';
import { type IdBytes, idBytes } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';

/** A deleted check that still has results. */
export interface Orphan {
  readonly accountId: string;
  readonly checkId: string;
}

const prefix = 'leftover:';

/** Rows that a deletion left. */
export function createOrphans({ transaction }: Database) {
  return {
    /**
     * Deletes up to `limit` results of deleted checks, with their exchanges, in one transaction.
     * @returns number of deleted rows; 0 = nothing is left
     */
    removeSome: (limit: number): Promise<number> =>
      transaction(async (tx) => {
        const noted = await tx
          .selectFrom('installation')
          .select('key')
          .where('key', '>=', prefix)
          .where('key', '<', 'leftover;')
          .orderBy('key')
          .limit(1)
          .executeTakeFirst();
        if (noted === undefined) return 0;
        const [accountId = '', checkId = ''] = noted.key.slice(prefix.length).split('/');
        const removed = await removeHistory(tx, { accountId, checkId }, limit);
        if (removed < limit) await deleteRows(tx, 'installation', { key: noted.key });
        return Math.max(removed, 1);
      }),
  };
}

/** Records that a deleted check still has results. */
export async function noteOrphans(tx: Db, { accountId, checkId }: Orphan): Promise<void> {
  await insertRows(tx, 'installation', { key: `${prefix}${accountId}/${checkId}`, value: 'results' }, 'keep');
}

/**
 * Deletes the oldest results of a check with their exchanges and assets, and after the last one its pings and roll-ups:
 * about `limit` rows.
 * @returns number of deleted rows; fewer than `limit` = nothing is left
 */
export async function removeHistory(tx: Db, { accountId, checkId }: Orphan, limit: number): Promise<number> {
  const account = idBytes(accountId);
  const check = idBytes(checkId);
  const last = await selectRows(tx, 'results', { account_id: account, check_id: check })
    .select('id')
    .orderBy('id')
    .limit(limit)
    .execute();
  const upTo = last.at(-1)?.id;
  if (upTo === undefined) return removeRest(tx, account, check, limit);
  if (!(await removeAssets(tx, account, check, upTo))) return limit;
  await tx
    .deleteFrom('exchanges')
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    .where('result_id', '<=', upTo)
    .execute();
  await tx
    .deleteFrom('results')
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    .where('id', '<=', upTo)
    .execute();
  if (last.length === limit) return limit;
  return last.length + (await removeRest(tx, account, check, limit - last.length));
}

/** Asset chunks deleted at once: they are large and block the event loop on SQLite. */
const partsAtOnce = 32;

/** Deletes assets of the results up to a given one. @returns false if there are more */
async function removeAssets(tx: Db, account: IdBytes, check: IdBytes, upTo: IdBytes): Promise<boolean> {
  const remove = (table: 'result_assets' | 'asset_parts', last: IdBytes) =>
    tx
      .deleteFrom(table)
      .where('account_id', '=', account)
      .where('check_id', '=', check)
      .where('result_id', '<=', last)
      .execute();
  await remove('result_assets', upTo);
  const parts = await selectRows(tx, 'asset_parts', { account_id: account, check_id: check })
    .select('result_id')
    .where('result_id', '<=', upTo)
    .orderBy('result_id')
    .limit(partsAtOnce)
    .execute();
  const last = parts.at(-1)?.result_id;
  if (last !== undefined) await remove('asset_parts', last);
  return parts.length < partsAtOnce;
}

async function removeRest(tx: Db, account: IdBytes, check: IdBytes, limit: number): Promise<number> {
  const pings = await removePings(tx, account, check, limit);
  return pings === limit ? limit : pings + (await removeRollUps(tx, account, check, limit - pings));
}

async function removePings(tx: Db, account: IdBytes, check: IdBytes, limit: number): Promise<number> {
  const last = await selectRows(tx, 'pings', { account_id: account, check_id: check })
    .select('id')
    .orderBy('id')
    .limit(limit)
    .execute();
  const upTo = last.at(-1)?.id;
  if (upTo === undefined) return 0;
  await tx
    .deleteFrom('pings')
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    .where('id', '<=', upTo)
    .execute();
  return last.length;
}

async function removeRollUps(tx: Db, account: IdBytes, check: IdBytes, limit: number): Promise<number> {
  for (const table of ['missed_stretches', 'late_hours'] as const) {
    await deleteRows(tx, table, { account_id: account, check_id: check });
  }
  const last = await selectRows(tx, 'roll_ups', { account_id: account, check_id: check })
    .select(['span', 'start_at'])
    .orderBy('span')
    .orderBy('start_at')
    .limit(limit)
    .execute();
  const upTo = last.at(-1);
  if (upTo === undefined) return 0;
  await tx
    .deleteFrom('roll_ups')
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    .where((row) =>
      row.or([
        row('span', '<', upTo.span),
        row.and([row('span', '=', upTo.span), row('start_at', '<=', upTo.start_at)]),
      ]),
    )
    .execute();
  return last.length;
}
