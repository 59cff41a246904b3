// Status pages in deployments.
import type { StatusPageWrite } from '#domain/status-pages/status-page.ts';
import { idBytes } from '../../base/codec.ts';
import { findRows } from '../../base/rows.ts';
import {
  addPage,
  changePage,
  pageBytes,
  pageOf,
  readImages,
  releaseAddresses,
  removePages,
  type TakenAddress,
} from '../../status-pages/status-pages.ts';
import type { Db } from '../../base/tables/schema.ts';
import type { StoredKind } from '../kind.ts';

export const statusPageKind: StoredKind<'status-page'> = {
  table: 'status_pages',
  limit: 'statusPages',
  column: 'id',
  keyOf: idBytes,
  bytes: pageBytes,
  counter: null,
  async read(db, _database, accountId, ids) {
    const key = { account_id: idBytes(accountId), id: ids.map(idBytes) };
    const pages = (await findRows(db, 'status_pages', key)).map(pageOf);
    const images = await readImages(db, accountId, ids);
    return new Map(pages.map((page) => [page.id, { page, images: images.get(page.id) ?? {} }]));
  },
  release: releaseAddresses,
  async save(tx, { accountId, now }, writes) {
    for (const { logicalId, physicalId: id, stored, write } of writes) {
      const saved =
        stored === null
          ? await addPage(tx, now, { ...write.page, accountId, id }, write.images)
          : await changePage(tx, now, { accountId, id }, () => write.page, write.images);
      if (saved !== null && 'taken' in saved)
        return { logicalId, path: saved.taken, message: await takenMessage(tx, accountId, saved.taken, write.page) };
    }
    return null;
  },
  async remove(tx, { accountId }, removals) {
    const ids = removals.map(({ physicalId }) => physicalId);
    await removePages(tx, accountId, ids);
  },
};

/** Names the page if it is one of the account. */
async function takenMessage(
  tx: Db,
  accountId: string,
  taken: TakenAddress['taken'],
  { url, customDomain }: Pick<StatusPageWrite, 'url' | 'customDomain'>,
): Promise<string> {
  const address = taken === 'url' ? { url } : { custom_domain: customDomain };
  const [own] = await findRows(tx, 'status_pages', { account_id: idBytes(accountId), ...address }, ['name']);
  return own === undefined
    ? 'is the address of another page of this installation'
    : `is the address of the page "${own.name}" of this account`;
}
