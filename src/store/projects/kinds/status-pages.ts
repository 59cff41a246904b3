// Status pages in deployments.
import { idBytes } from '../../base/codec.ts';
import { findRows } from '../../base/rows.ts';
import { addPage, changePage, pageBytes, pageOf, readImages, removePages } from '../../status-pages/status-pages.ts';
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
  async save(tx, { accountId, now }, writes) {
    for (const { logicalId, physicalId: id, stored, write } of writes) {
      const saved =
        stored === null
          ? await addPage(tx, now, { ...write.page, accountId, id }, write.images)
          : await changePage(tx, now, { accountId, id }, () => write.page, write.images);
      if (saved !== null && 'taken' in saved)
        return { logicalId, path: saved.taken, message: 'is the address of another page of this installation' };
    }
    return null;
  },
  async remove(tx, { accountId }, removals) {
    const ids = removals.map(({ physicalId }) => physicalId);
    await removePages(tx, accountId, ids);
  },
};
