// Status pages of accounts, their addresses and images.
import { sql } from 'kysely';
import type { PageImage, PageImageName, StatusPage, StatusPageWrite } from '#domain/status-pages/status-page.ts';
import { isUuid } from '#lib/id.ts';
import { requireWithinLimit } from '../base/account-limits.ts';
import { flag, idBytes, idText, json, parsed } from '../base/codec.ts';
import { type Database, ownedBy, touchAccount } from '../base/database.ts';
import { deleteRows, findRow, findRows, insertRows, replaceRows, updateRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';
import type { StatusPagesTable } from '../base/tables/status-page-tables.ts';

/** Which of its addresses another page has. */
export interface TakenAddress {
  readonly taken: 'url' | 'customDomain';
}

/** Images that a write sets; null = remove, absent = keep. */
export type PageImages = Readonly<Partial<Record<PageImageName, PageImage | null>>>;

/** A page and what `addPage` needs besides it. */
export type NewPage = StatusPageWrite & Pick<StatusPage, 'accountId' | 'id'>;

/** Stored bytes of a page with its images. */
export const pageBytes = sql<number>`octet_length(definition) + coalesce((
  select sum(octet_length(content)) from status_page_images as image
  where image.account_id = status_pages.account_id and image.page_id = status_pages.id
), 0)`;

export function createStatusPages(database: Database) {
  const { reader, transaction, clock } = database;
  return {
    /** Ordered by ID; bounded by the account's limit. */
    async all(accountId: string): Promise<StatusPage[]> {
      return (await findRows(reader, 'status_pages', ownedBy(accountId), '*', ['id'])).map(pageOf);
    },
    find: (accountId: string, id: string) => findPage(reader, accountId, id),
    /** @throws LimitReachedError */
    add: (write: NewPage, images: PageImages): Promise<StatusPage | TakenAddress> =>
      transaction(async (tx) => {
        await requireWithinLimit(database, tx, write.accountId, 'statusPages');
        return addPage(tx, clock.now(), write, images);
      }),
    /** Reads, edits and writes in one transaction; `edit` may throw. null = unknown page. */
    change: (accountId: string, id: string, edit: (present: StatusPage) => StatusPageWrite, images: PageImages) =>
      transaction((tx) => changePage(tx, clock.now(), { accountId, id }, edit, images)),
    /** false = unknown page. */
    remove: (accountId: string, id: string): Promise<boolean> => transaction((tx) => removePages(tx, accountId, [id])),
    /** The images of pages, by page ID. */
    images: (accountId: string, pageIds: readonly string[]) => readImages(reader, accountId, pageIds),
  };
}

/** The images of a page, by name. */
export type StoredImages = Readonly<Partial<Record<PageImageName, PageImage>>>;

/** The images of pages, by page ID. */
export async function readImages(
  db: Db,
  accountId: string,
  pageIds: readonly string[],
): Promise<ReadonlyMap<string, StoredImages>> {
  const rows = await findRows(db, 'status_page_images', { ...ownedBy(accountId), page_id: pageIds.map(idBytes) });
  const images = new Map<string, Partial<Record<PageImageName, PageImage>>>();
  for (const { page_id, name, media_type: mediaType, content } of rows) {
    const own = images.get(idText(page_id)) ?? {};
    images.set(idText(page_id), { ...own, [name]: { mediaType, content } });
  }
  return images;
}

export async function findPage(db: Db, accountId: string, id: string): Promise<StatusPage | null> {
  if (!isUuid(id)) return null;
  const row = await findRow(db, 'status_pages', { ...ownedBy(accountId), id: idBytes(id) });
  return row === undefined ? null : pageOf(row);
}

/** Adds a page that has its ID. @param now epoch ms */
export async function addPage(
  tx: Db,
  now: number,
  write: NewPage,
  images: PageImages,
): Promise<StatusPage | TakenAddress> {
  const page = { ...write, createdAt: now, updatedAt: null };
  const taken = await claimAddresses(tx, page);
  if (taken !== null) return taken;
  await insertRows(tx, 'status_pages', rowOf(page));
  await writeImages(tx, page, images);
  await touchAccount(tx, page.accountId);
  return page;
}

/** Reads, edits and writes; null = unknown page. @param now epoch ms */
export async function changePage(
  tx: Db,
  now: number,
  { accountId, id }: Pick<StatusPage, 'accountId' | 'id'>,
  edit: (present: StatusPage) => StatusPageWrite,
  images: PageImages,
): Promise<StatusPage | TakenAddress | null> {
  const present = await findPage(tx, accountId, id);
  if (present === null) return null;
  const page = { ...edit(present), accountId, id, createdAt: present.createdAt, updatedAt: now };
  const own = { owner_id: idBytes(accountId), page_id: idBytes(id) };
  const left = addressesOf(present).filter(({ address }) =>
    addressesOf(page).every((each) => each.address !== address),
  );
  await deleteRows(tx, 'status_page_addresses', { ...own, address: left.map(({ address }) => address) });
  const taken = await claimAddresses(tx, page);
  if (taken !== null) {
    const kept = addressesOf(present).map(({ address }) => address);
    const claimed = addressesOf(page).map(({ address }) => address);
    await deleteRows(tx, 'status_page_addresses', { ...own, address: claimed.filter((each) => !kept.includes(each)) });
    // The addresses it had remain its own.
    await claimAddresses(tx, present);
    return taken;
  }
  const { account_id, id: key, created_at, ...values } = rowOf(page);
  await updateRows(tx, 'status_pages', { account_id, id: key, created_at }, values);
  await writeImages(tx, page, images);
  await touchAccount(tx, accountId);
  return page;
}

/** Removes pages with all that belongs to them; false = all are unknown. */
export async function removePages(tx: Db, accountId: string, ids: readonly string[]): Promise<boolean> {
  const known = ids.filter(isUuid).map(idBytes);
  if ((await deleteRows(tx, 'status_pages', { ...ownedBy(accountId), id: known })) === 0) return false;
  const own = { ...ownedBy(accountId), page_id: known };
  await releaseAddresses(tx, accountId, ids.filter(isUuid));
  await deleteRows(tx, 'status_page_images', own);
  await deleteRows(tx, 'status_page_snapshots', own);
  await deleteRows(tx, 'status_page_changes', own);
  // The entry about the page says enough, and they may be very many.
  await tx
    .deleteFrom('status_subscribers')
    .where('account_id', '=', idBytes(accountId))
    .where('page_id', 'in', known)
    .execute();
  await touchAccount(tx, accountId);
  return true;
}

function addressesOf({ url, customDomain }: Pick<StatusPage, 'url' | 'customDomain'>) {
  const path = { field: 'url', address: `path:${url}` } as const;
  return customDomain === null ? [path] : [path, { field: 'customDomain', address: `host:${customDomain}` } as const];
}

/** Gives up the addresses of pages, which must be claimed again if a page stays. */
export async function releaseAddresses(tx: Db, accountId: string, pageIds: readonly string[]): Promise<void> {
  await deleteRows(tx, 'status_page_addresses', { owner_id: idBytes(accountId), page_id: pageIds.map(idBytes) });
}

/** Makes the addresses of a page its own; returns the first that another page has. */
export async function claimAddresses(tx: Db, page: StatusPage): Promise<TakenAddress | null> {
  const own = { owner_id: idBytes(page.accountId), page_id: idBytes(page.id) };
  for (const { field, address } of addressesOf(page)) {
    if ((await insertRows(tx, 'status_page_addresses', { ...own, address }, 'keep')) > 0) continue;
    if ((await findRow(tx, 'status_page_addresses', { ...own, address })) === undefined) return { taken: field };
  }
  return null;
}

async function writeImages(tx: Db, { accountId, id }: StatusPage, images: PageImages): Promise<void> {
  for (const [name, image] of Object.entries(images)) {
    const own = { ...ownedBy(accountId), page_id: idBytes(id), name };
    if (image === null) await deleteRows(tx, 'status_page_images', own);
    else {
      const { mediaType, content } = image;
      const row = { ...own, media_type: mediaType, content };
      await replaceRows(tx, 'status_page_images', ['account_id', 'page_id', 'name'], [row]);
    }
  }
}

function rowOf({ accountId, id, createdAt, updatedAt, ...page }: StatusPage): StatusPagesTable {
  const { name, url, customDomain, isPublished, passwordHash, ...definition } = page;
  return {
    account_id: idBytes(accountId),
    id: idBytes(id),
    name,
    url,
    custom_domain: customDomain,
    is_published: flag(isPublished),
    password_hash: passwordHash,
    definition: json(definition),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** The record of a row. */
export function pageOf(row: StatusPagesTable): StatusPage {
  return {
    ...parsed<Omit<StatusPage, 'name' | 'url' | 'customDomain' | 'isPublished' | 'passwordHash'>>(row.definition),
    accountId: idText(row.account_id),
    id: idText(row.id),
    name: row.name,
    url: row.url,
    customDomain: row.custom_domain,
    isPublished: row.is_published === 1,
    passwordHash: row.password_hash,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
