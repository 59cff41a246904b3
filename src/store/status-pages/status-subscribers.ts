// Subscribers of status pages.
import { LimitReachedError } from '#domain/accounts/account.ts';
import {
  confirmableMs,
  mostPending,
  receives,
  type StatusSubscriber,
  type SubscriberRequest,
} from '#domain/status-pages/status-subscriber.ts';
import { isUuid, newId } from '#lib/id.ts';
import { requireWithinLimit } from '../base/account-limits.ts';
import { idBytes, idText, json, parsedOrNull } from '../base/codec.ts';
import { type Database, ownedBy } from '../base/database.ts';
import { countRows, deleteRows, findRow, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import { breathe } from '../base/slices.ts';
import type { StatusSubscribersTable } from '../base/tables/status-page-tables.ts';
import type { Db } from '../base/tables/schema.ts';
import { takeMailSlot } from './mail-slots.ts';

/** A page of an account. */
export interface PageKey {
  readonly accountId: string;
  readonly pageId: string;
}

/** A subscriber of a page. */
export interface SubscriberKey extends PageKey {
  readonly id: string;
}

/** Some subscribers, in the order of their IDs. */
export interface SubscriberSlice {
  readonly rows: readonly StatusSubscriber[];
  /** The ID after which the next slice begins; null = there is none. */
  readonly last: string | null;
}

/** Rows that a statement of a search scans. */
const scannedAtOnce = 2000;

export function createStatusSubscribers(database: Database) {
  const { reader, transaction, clock } = database;
  return {
    /**
     * Confirmed subscribers of a page that receive a change of some services. A slice may be empty though others follow.
     * @param services null = all
     * @param after null = from the start
     * @param limit rows that are read
     */
    async confirmed(
      page: PageKey,
      { after, limit, services }: { after: string | null; limit: number; services: readonly string[] | null },
    ): Promise<SubscriberSlice> {
      const rows = (await readAfter(reader, page, after, limit)).map(subscriberOf);
      return {
        rows: rows.filter((row) => row.confirmedAt !== null && receives(row, services)),
        last: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
      };
    },
    /** Numbers of confirmed subscribers of pages, by page ID; none = 0. */
    counts: (accountId: string, pageIds: readonly string[]) => countConfirmed(reader, accountId, pageIds),
    /** Subscribers of a page. @param search part of the address, or null */
    list: (page: PageKey, after: string | null, limit: number, search: string | null) =>
      listed(database, page, { after, limit, search }),
    find: (key: SubscriberKey): Promise<StatusSubscriber | null> => findSubscriber(reader, key),
    /**
     * Adds subscribers that an owner names. Those that exist are skipped, or confirmed if they are not yet.
     * @param isConfirmed whether they need not confirm
     * @returns `busy` = too many mails of the account wait: none was added; null = unknown page
     * @throws {LimitReachedError}
     */
    add: (page: PageKey, requests: readonly SubscriberRequest[], isConfirmed: boolean) =>
      transaction((tx) => addSubscribers(database, tx, page, requests, isConfirmed)).catch((error: unknown) => {
        if (error instanceof TooManyMails) return 'busy' as const;
        throw error;
      }),
    /**
     * Takes what a visitor asks for. The answer does not depend on whether the address is known.
     * @returns `full` = the page or the account takes no more for now; null = unknown page
     */
    request: (page: PageKey, request: SubscriberRequest): Promise<'taken' | 'full' | null> =>
      transaction((tx) => requestSubscription(database, tx, page, request)),
    /** false = unknown, or it can no longer be confirmed. */
    confirm: (key: SubscriberKey): Promise<boolean> =>
      transaction(async (tx) => {
        const found = await findSubscriber(tx, key);
        if (found === null || isExpired(found, clock.now())) return false;
        if (found.confirmedAt === null)
          await updateRows(tx, 'status_subscribers', keyOf(key), { confirmed_at: clock.now(), mail_due_at: null });
        return true;
      }),
    /** false = unknown. */
    chooseServices: (key: SubscriberKey, serviceIds: readonly string[] | null): Promise<boolean> =>
      transaction(
        async (tx) =>
          (await updateRows(tx, 'status_subscribers', keyOf(key), {
            services: serviceIds === null ? null : json(serviceIds),
          })) > 0,
      ),
    /** false = unknown. */
    remove: (key: SubscriberKey): Promise<boolean> =>
      transaction(async (tx) => (await deleteRows(tx, 'status_subscribers', keyOf(key))) > 0),
  };
}

function keyOf({ accountId, pageId, id }: SubscriberKey) {
  return { ...pageKeyOf({ accountId, pageId }), id: idBytes(id) };
}

function pageKeyOf({ accountId, pageId }: PageKey) {
  return { ...ownedBy(accountId), page_id: idBytes(pageId) };
}

async function countConfirmed(
  db: Db,
  accountId: string,
  pageIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (pageIds.length === 0) return new Map();
  const rows = await selectRows(db, 'status_subscribers', { ...ownedBy(accountId), page_id: pageIds.map(idBytes) })
    .select(({ fn }) => ['page_id', fn.countAll<number>().as('count')])
    .where('confirmed_at', 'is not', null)
    .groupBy('page_id')
    .execute();
  return new Map(rows.map(({ page_id: pageId, count }) => [idText(pageId), count]));
}

async function findSubscriber(db: Db, key: SubscriberKey): Promise<StatusSubscriber | null> {
  if (!isUuid(key.id)) return null;
  const row = await findRow(db, 'status_subscribers', keyOf(key));
  return row === undefined ? null : subscriberOf(row);
}

function isExpired({ confirmedAt, requestedAt }: StatusSubscriber, now: number): boolean {
  return confirmedAt === null && requestedAt <= now - confirmableMs;
}

function readAfter(db: Db, page: PageKey, after: string | null, limit: number): Promise<StatusSubscribersTable[]> {
  let query = selectRows(db, 'status_subscribers', pageKeyOf(page)).selectAll().orderBy('id').limit(limit);
  if (after !== null) query = query.where('id', '>', idBytes(after));
  return query.execute();
}

/** Scans in slices: an address that is found nowhere must not block the event loop. */
async function listed(
  { reader, clock }: Database,
  page: PageKey,
  { after, limit, search }: { after: string | null; limit: number; search: string | null },
): Promise<SubscriberSlice> {
  const wanted = search?.toLowerCase() ?? '';
  const size = search === null ? limit + 1 : scannedAtOnce;
  const rows: StatusSubscriber[] = [];
  for (let from = after, isThrough = false; !isThrough && rows.length <= limit;) {
    const read = await readAfter(reader, page, from, size);
    const found = read.map(subscriberOf);
    rows.push(...found.filter((row) => row.email.includes(wanted) && !isExpired(row, clock.now())));
    from = found.at(-1)?.id ?? null;
    isThrough = read.length < size;
    await breathe();
  }
  const shown = rows.slice(0, limit);
  return { rows: shown, last: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}

/** How many subscribers an addition created, and how many existed. */
export interface AddedSubscribers {
  readonly created: number;
  readonly skipped: number;
}

/** Undoes an addition. */
class TooManyMails extends Error {}

async function addSubscribers(
  database: Database,
  tx: Db,
  page: PageKey,
  requests: readonly SubscriberRequest[],
  isConfirmed: boolean,
): Promise<AddedSubscribers | null> {
  if (!(await hasPage(tx, page))) return null;
  const now = database.clock.now();
  const unique = [...new Map(requests.map((request) => [request.email, request])).values()];
  const emails = unique.map(({ email }) => email);
  const present = new Map(
    (await findRows(tx, 'status_subscribers', { ...pageKeyOf(page), email: emails })).map((row) => [row.email, row]),
  );
  const added = unique.filter(({ email }) => !present.has(email));
  await requireWithinLimit(database, tx, page.accountId, 'statusSubscribers', added.length);
  const rows: StatusSubscribersTable[] = [];
  for (const request of added) {
    const mailAt = isConfirmed ? null : await takeMailSlot(tx, page.accountId, request.email, now);
    if (mailAt === 'busy') throw new TooManyMails();
    if (mailAt === 'asked') continue;
    rows.push(rowOf(page, request, { now, mailAt, confirmedAt: isConfirmed ? now : null }));
  }
  await insertRows(tx, 'status_subscribers', rows);
  const waiting = [...present.values()].filter((row) => row.confirmed_at === null).map(({ id }) => id);
  if (isConfirmed)
    await updateRows(
      tx,
      'status_subscribers',
      { ...pageKeyOf(page), id: waiting },
      { confirmed_at: now, mail_due_at: null },
    );
  const created = rows.length + (isConfirmed ? waiting.length : 0);
  return { created, skipped: requests.length - created };
}

async function requestSubscription(
  database: Database,
  tx: Db,
  page: PageKey,
  request: SubscriberRequest,
): Promise<'taken' | 'full' | null> {
  const { accountId } = page;
  if (!(await hasPage(tx, page))) return null;
  const now = database.clock.now();
  const present = await findRow(tx, 'status_subscribers', { ...pageKeyOf(page), email: request.email });
  // Who is subscribed stays so, also if the page is full; a stranger does not learn it from another answer.
  if (await isFull(database, tx, page)) return 'full';
  if (present !== undefined && present.confirmed_at !== null) return 'taken';
  const mailAt = await takeMailSlot(tx, accountId, request.email, now);
  if (mailAt === 'busy') return 'full';
  // Nobody learns how often somebody else has asked.
  if (mailAt === 'asked') return 'taken';
  const { id, created_at, ...row } = rowOf(page, request, { now, mailAt, confirmedAt: null });
  if (present === undefined) await insertRows(tx, 'status_subscribers', { ...row, id, created_at });
  else {
    const earlier = present.mail_due_at === null ? mailAt : Math.min(mailAt, present.mail_due_at);
    const values = { ...row, mail_due_at: earlier };
    await updateRows(tx, 'status_subscribers', { ...pageKeyOf(page), id: present.id }, values);
  }
  return 'taken';
}

async function isFull(database: Database, tx: Db, page: PageKey): Promise<boolean> {
  if ((await countRows(tx, 'status_subscribers', { ...pageKeyOf(page), confirmed_at: null })) >= mostPending)
    return true;
  try {
    await requireWithinLimit(database, tx, page.accountId, 'statusSubscribers');
    return false;
  } catch (error) {
    if (error instanceof LimitReachedError) return true;
    throw error;
  }
}

async function hasPage(tx: Db, { accountId, pageId }: PageKey): Promise<boolean> {
  if (!isUuid(pageId)) return false;
  return (await findRow(tx, 'status_pages', { ...ownedBy(accountId), id: idBytes(pageId) }, ['id'])) !== undefined;
}

interface Written {
  readonly now: number;
  readonly mailAt: number | null;
  readonly confirmedAt: number | null;
}

function rowOf(
  page: PageKey,
  { email, serviceIds }: SubscriberRequest,
  { now, mailAt, confirmedAt }: Written,
): StatusSubscribersTable {
  return {
    ...pageKeyOf(page),
    id: idBytes(newId()),
    email,
    services: serviceIds === null ? null : json(serviceIds),
    confirmed_at: confirmedAt,
    requested_at: now,
    mail_due_at: mailAt,
    mail_attempts: 0,
    created_at: now,
  };
}

/** The record of a row. */
export function subscriberOf(row: StatusSubscribersTable): StatusSubscriber {
  return {
    accountId: idText(row.account_id),
    pageId: idText(row.page_id),
    id: idText(row.id),
    email: row.email,
    serviceIds: parsedOrNull<readonly string[]>(row.services),
    confirmedAt: row.confirmed_at,
    requestedAt: row.requested_at,
    createdAt: row.created_at,
  };
}
