// Hands changes of status pages to sending: messages to channels of the account, and to subscribers in slices.
import { sql } from 'kysely';
import { type Delivery, newDelivery } from '#domain/deliveries/delivery.ts';
import { type PageNews, subscribersChannelId } from '#domain/deliveries/page-news.ts';
import { mostInMessage, type PageChange } from '#domain/status-pages/page-changes.ts';
import { newId } from '#lib/id.ts';
import { idBytes, idText, idTextOrNull, json, parsed } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import { type Database, ownedBy } from '../base/database.ts';
import { deleteRows, findRow, findRows, selectRows, updateRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';
import type { StatusPageChangesTable } from '../base/tables/status-page-tables.ts';
import { insertDeliveries } from '../channels/failing-channels.ts';
import { pageOf } from './status-pages.ts';
import type { PageKey } from './status-subscribers.ts';

/** Changes of a page that are sent as one message, oldest first. */
export interface ChangeBatch extends PageKey {
  readonly changes: readonly { readonly id: string; readonly change: PageChange }[];
  /** Epoch ms; null = sending has not begun. */
  readonly begunAt: number | null;
  /** The subscriber that was notified last; null = none was. */
  readonly progress: string | null;
}

/** Due messages of some pages. */
export interface DueBatches {
  readonly batches: readonly ChangeBatch[];
  /** The page after which the others come; null = there is none. */
  readonly next: PageKey | null;
}

/** A message to a subscriber or to a channel of the account. */
export interface NewsDelivery {
  readonly alertChannelId: number;
  readonly news: PageNews;
  /** The change that the log shows it with. */
  readonly changeId: string;
}

/** A slice of a batch. */
export interface SentSlice {
  readonly deliveries: readonly NewsDelivery[];
  /** The subscriber up to which all were notified; null = no subscriber was read. */
  readonly progress: string | null;
  /** Subscribers of the slice. */
  readonly notified: number;
  /** All subscribers; only with the first slice. */
  readonly subscribers?: number;
  readonly isLast: boolean;
}

const pending = deliveryStatusCodes.encode('pending');
const cancelled = deliveryStatusCodes.encode('cancelled');
/** Pages that a tick looks at: others follow, so that pages that wait for a quota are in nobody's way. */
const pagesAtOnce = 50;

export function createPageNews(database: Database) {
  const { reader, transaction } = database;
  return {
    /**
     * The oldest due message of each page, of pages in the order of their accounts.
     * @param now epoch ms
     * @param after the page that was last; null = from the first
     */
    due: (now: number, after: PageKey | null): Promise<DueBatches> => readDue(reader, now, after),
    /** When the next change becomes due after `now`, epoch ms; null = none does. */
    async nextDueAt(now: number): Promise<number | null> {
      const row = await reader
        .selectFrom('status_page_changes')
        .select('due_at')
        .where('ended_at', 'is', null)
        .where('due_at', '>', now)
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.due_at ?? null;
    },
    /** Messages to subscribers of an account that are not sent yet, at most `max`. */
    waiting: (accountId: string, max: number): Promise<number> => countWaiting(reader, accountId, max),
    /** Hands a slice to sending, in one transaction; false = another process was first. @param now epoch ms */
    send: (batch: ChangeBatch, slice: SentSlice, now: number): Promise<boolean> =>
      transaction((tx) => sendSlice(tx, batch, slice, now)),
    /** Ends changes without a message. @param now epoch ms */
    withdraw: (batch: ChangeBatch, now: number): Promise<void> =>
      transaction(async (tx) => {
        for (const key of keysOf(batch)) await updateRows(tx, 'status_page_changes', key, { ended_at: now });
      }),
    /** Removes the changes of updates without notifications, so that they are noted again when they are public. */
    forget: (batch: ChangeBatch): Promise<void> =>
      transaction(async (tx) => {
        for (const key of keysOf(batch)) await deleteRows(tx, 'status_page_changes', key);
      }),
    /**
     * Whether a leased message to a subscriber is still wanted; otherwise ends it: the subscriber or the page was deleted,
     * the page is not published or only for people of the account, or its changes were withdrawn. Leaves out single
     * changes that were withdrawn.
     */
    admit: (claim: { readonly accountId: string; readonly deliveryId: string; readonly owner: string }) =>
      admit(database, claim),
  };
}

async function readDue(db: Db, now: number, after: PageKey | null): Promise<DueBatches> {
  let query = db
    .selectFrom('status_page_changes')
    .select(['account_id', 'page_id'])
    .where('ended_at', 'is', null)
    .where('due_at', '<=', now);
  if (after !== null) {
    const [account, page] = [idBytes(after.accountId), idBytes(after.pageId)];
    query = query.where((row) =>
      row.or([row('account_id', '>', account), row.and([row('account_id', '=', account), row('page_id', '>', page)])]),
    );
  }
  const pages = await query
    .groupBy(['account_id', 'page_id'])
    .orderBy('account_id')
    .orderBy('page_id')
    .limit(pagesAtOnce)
    .execute();
  const batches: ChangeBatch[] = [];
  for (const key of pages) {
    const rows = await selectRows(db, 'status_page_changes', { ...key, ended_at: null })
      .selectAll()
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('id')
      // Further changes are the next message.
      .limit(mostInMessage)
      .execute();
    const batch = firstBatch(rows);
    if (batch !== null) batches.push(batch);
  }
  const last = pages.length < pagesAtOnce ? undefined : pages.at(-1);
  const next = last === undefined ? null : { accountId: idText(last.account_id), pageId: idText(last.page_id) };
  return { batches, next };
}

/** Rows that are as far as the first: one that was noted while its message began has a message of its own. */
function firstBatch(rows: readonly StatusPageChangesTable[]): ChangeBatch | null {
  const [first] = rows;
  if (first === undefined) return null;
  const same = rows.filter((row) => isSameMessage(first, row));
  return {
    accountId: idText(first.account_id),
    pageId: idText(first.page_id),
    changes: same.map(({ id, content }) => ({ id: idText(id), change: parsed<PageChange>(content) })),
    begunAt: first.begun_at,
    progress: idTextOrNull(first.progress),
  };
}

function isSameMessage(one: StatusPageChangesTable, other: StatusPageChangesTable): boolean {
  if (one.due_at !== other.due_at || one.begun_at !== other.begun_at) return false;
  return (
    (one.progress === null ? '' : idText(one.progress)) === (other.progress === null ? '' : idText(other.progress))
  );
}

/** The rows of a batch as they were read: others have changed meanwhile. */
function keysOf({ accountId, pageId, changes, begunAt, progress }: ChangeBatch) {
  return changes.map(({ id }) => ({
    ...ownedBy(accountId),
    page_id: idBytes(pageId),
    id: idBytes(id),
    begun_at: begunAt,
    progress: progress === null ? null : idBytes(progress),
    ended_at: null,
  }));
}

async function sendSlice(tx: Db, batch: ChangeBatch, slice: SentSlice, now: number): Promise<boolean> {
  const { progress, notified, subscribers, isLast } = slice;
  let moved = 0;
  for (const key of keysOf(batch)) {
    moved += await updateRows(tx, 'status_page_changes', key, {
      begun_at: batch.begunAt ?? now,
      progress: progress === null ? key.progress : idBytes(progress),
      notified: sql<number>`notified + ${notified}`,
      ...(subscribers !== undefined && { subscribers }),
      ended_at: isLast ? now : null,
    });
  }
  if (moved === 0) return false;
  // All rows of a batch are moved by one transaction.
  if (moved !== batch.changes.length) throw new Error('changes of a status page were moved by another process');
  await insertDeliveries(
    tx,
    slice.deliveries.map((one) => deliveryOf(batch.accountId, one, now)),
  );
  return true;
}

function deliveryOf(accountId: string, { alertChannelId, news, changeId }: NewsDelivery, now: number): Delivery {
  const delivery = newDelivery({ accountId, id: newId(), alertChannelId, alertType: null }, now);
  const variables = { DELIVERY_ID: delivery.id, IS_REPLAY: false };
  return { ...delivery, pageChangeId: changeId, content: { variables, groupId: null, news } };
}

async function countWaiting(db: Db, accountId: string, max: number): Promise<number> {
  const key = { ...ownedBy(accountId), alert_channel_id: subscribersChannelId };
  const waiting = selectRows(db, 'deliveries', key).select('id').where('status', '=', sql.lit(pending)).limit(max);
  const counted = await db
    .selectFrom(waiting.as('waiting'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return counted.count;
}

async function admit(
  { reader, transaction }: Database,
  { accountId, deliveryId, owner }: { readonly accountId: string; readonly deliveryId: string; readonly owner: string },
): Promise<boolean> {
  const own = ownedBy(accountId);
  const key = { ...own, delivery_id: idBytes(deliveryId) };
  const stored = await findRow(reader, 'delivery_contents', key, ['content']);
  const content = stored === undefined ? undefined : parsed<{ readonly news?: PageNews }>(stored.content);
  const news = content?.news;
  if (news === undefined || news.subscriber === null) return true;
  const pageId = idBytes(news.page.id);
  const row = await findRow(reader, 'status_pages', { ...own, id: pageId });
  const page = row === undefined ? null : pageOf(row);
  const subscriberKey = { ...own, page_id: pageId, id: idBytes(news.subscriber.id) };
  const isSubscribed = (await findRow(reader, 'status_subscribers', subscriberKey, ['id'])) !== undefined;
  const isReadable = page?.isPublished === true && page.visibility !== 'ACCOUNT';
  const items = await publicItems(reader, accountId, news.items);
  let error: string | null = null;
  if (!isSubscribed) error = 'the address has unsubscribed';
  else if (!isReadable) error = 'readers cannot see the status page';
  else if (items.length === 0) error = 'the changes are no longer public';
  if (error === null && items.length === news.items.length) return true;
  await transaction(async (tx) => {
    const leased = { ...own, id: idBytes(deliveryId), leased_by: owner, status: pending };
    if (error === null) {
      if ((await findRow(tx, 'deliveries', leased, ['id'])) === undefined) return;
      await updateRows(tx, 'delivery_contents', key, { content: json({ ...content, news: { ...news, items } }) });
      return;
    }
    const ended = { status: cancelled, next_attempt_at: null, leased_by: null, attempt_started_at: null, error };
    await updateRows(tx, 'deliveries', leased, ended);
  });
  return error === null;
}

/** Changes that readers may still see: an incident may have become a draft, or an update may have been deleted. */
async function publicItems(db: Db, accountId: string, items: PageNews['items']): Promise<PageNews['items']> {
  const updates = items.filter((item) => item.kind === 'update');
  const ids = updates.map(({ id }) => idBytes(id));
  const published = await findRows(db, 'status_incidents', { ...ownedBy(accountId), id: ids, is_draft: 0 }, ['id']);
  const key = {
    ...ownedBy(accountId),
    incident_id: published.map(({ id }) => id),
    id: updates.map(({ update }) => idBytes(update.id)),
  };
  const present = new Set((await findRows(db, 'status_incident_updates', key, ['id'])).map(({ id }) => idText(id)));
  return items.filter((item) => item.kind !== 'update' || present.has(item.update.id));
}
