// Files left by script runs: stored in chunks once their result is recorded, listed with it, and read chunk by chunk.
import { countRows, deleteRows, findRow, insertRows, selectRows } from '../base/rows.ts';
import type { Asset, AssetFacts, AssetFile, AssetSort, AssetType } from '#domain/results/asset.ts';
import type { ResultAssetsTable } from '../base/tables/asset-tables.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';

/**
 * Bytes per chunk, except the last: committing one takes a few milliseconds, which delays no one. Stored assets depend
 * on this size.
 */
const partBytes = 262_144;

/** The result that owns the assets. */
export interface AssetOwner {
  readonly accountId: string;
  readonly checkId: string;
  readonly resultId: string;
  readonly location: string;
}

interface Key {
  readonly account_id: IdBytes;
  readonly check_id: IdBytes;
  readonly result_id: IdBytes;
}

/** Assets of results. */
export function createResultAssets({ reader, transaction }: Database) {
  return {
    /**
     * Stores the assets of a recorded result; drops them if the check was deleted meanwhile. They are listed once all
     * content is stored. Rejects with StoreUnavailableError while their account is being moved. `newest`: replaces those
     * of its check and location that were stored as newest.
     */
    async keep(
      { accountId, checkId, resultId, location }: AssetOwner,
      assets: readonly Asset[],
      keeping: 'with-result' | 'newest',
    ): Promise<void> {
      const key = { account_id: idBytes(accountId), check_id: idBytes(checkId), result_id: idBytes(resultId) };
      for (const [index, { content }] of assets.entries()) {
        for (let part = 0; part * partBytes < content.length; part++) {
          const piece = content.subarray(part * partBytes, (part + 1) * partBytes);
          const row = { ...key, number: index + 1, part, content: piece };
          const isKept = await transaction(async (tx) => {
            if (!(await isThere(tx, row))) return false;
            await insertRows(tx, 'asset_parts', row, 'keep');
            return true;
          });
          if (!isKept) return;
        }
      }
      const rows = assets.map(({ sort, name, contentType, content }, index) => ({
        ...key,
        number: index + 1,
        sort,
        name,
        content_type: contentType,
        bytes: content.length,
        location,
        is_newest: keeping === 'newest' ? 1 : 0,
      }));
      if (rows.length > 0) await transaction((tx) => listAssets(tx, key, rows, keeping === 'newest' ? location : null));
    },
    /** By result, ordered by number; results without assets are missing. */
    async of(
      accountId: string,
      checkId: string,
      resultIds: readonly string[],
    ): Promise<ReadonlyMap<string, readonly AssetFacts[]>> {
      const ids = resultIds.map(idBytes).toSorted((one, other) => Buffer.compare(one, other));
      const [least, max] = [ids[0], ids.at(-1)];
      if (least === undefined || max === undefined) return new Map();
      const key = { account_id: idBytes(accountId), check_id: idBytes(checkId), result_id: ids };
      const rows = await selectRows(reader, 'result_assets', key)
        .selectAll()
        // Restricts the partitions to read.
        .where('result_id', '>=', least)
        .where('result_id', '<=', max)
        .orderBy('number')
        .execute();
      const found = Map.groupBy(rows, (row) => idText(row.result_id));
      return new Map([...found].map(([id, assets]) => [id, assets.map(factsOf)]));
    },
    /** null = there is no such asset, or it is no longer stored. */
    async read(accountId: string, checkId: string, resultId: string, number: number): Promise<AssetFile | null> {
      const key = { account_id: idBytes(accountId), check_id: idBytes(checkId), result_id: idBytes(resultId), number };
      const row = await findRow(reader, 'result_assets', key);
      if (row === undefined) return null;
      const count = Math.ceil(row.bytes / partBytes);
      const isWhole = (await countRows(reader, 'asset_parts', key)) === count;
      return isWhole ? { ...factsOf(row), parts: partsOf(reader, key, count) } : null;
    },
  };
}

/** In the writing transaction, so that a later deletion of the check includes what was written. */
async function isThere(tx: Db, { account_id, check_id }: Key): Promise<boolean> {
  const check = await findRow(tx, 'checks', { account_id, id: check_id }, ['id']);
  return check !== undefined;
}

/** @param newestAt position of those stored as newest, which are deleted; null = none */
async function listAssets(
  tx: Db,
  key: Key,
  rows: readonly ResultAssetsTable[],
  newestAt: string | null,
): Promise<void> {
  if (!(await isThere(tx, key))) return;
  await insertRows(tx, 'result_assets', rows, 'keep');
  if (newestAt === null) return;
  const before = await selectRows(tx, 'result_assets', {
    account_id: key.account_id,
    check_id: key.check_id,
    location: newestAt,
    is_newest: 1,
  })
    .select('result_id')
    .distinct()
    .where('result_id', '<', key.result_id)
    .execute();
  for (const { result_id } of before) {
    for (const table of ['result_assets', 'asset_parts'] as const) {
      await deleteRows(tx, table, { account_id: key.account_id, check_id: key.check_id, result_id });
    }
  }
}

function factsOf({ number, sort, name, content_type, bytes }: ResultAssetsTable): AssetFacts {
  return { number, sort: sort as AssetSort, name, contentType: content_type as AssetType, bytes };
}

/** Reads the next chunk on demand, so that an asset is never in memory as a whole. */
async function* partsOf(reader: Db, key: Key & { readonly number: number }, count: number): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < count; part++) {
    const row = await findRow(reader, 'asset_parts', { ...key, part }, ['content']);
    if (row === undefined) throw new Error('the asset was deleted while it was being read');
    yield row.content;
  }
}
