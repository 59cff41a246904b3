// Hands changes of status pages to sending: to channels of the account, and to subscribers in slices (docs/decisions/0163).
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import { type NewsItem, type PageNews, subscribersChannelId } from '#domain/deliveries/page-news.ts';
import { changedServices, isStillTrue, longestInMessage, type PageChange } from '#domain/status-pages/page-changes.ts';
import type { PageSnapshot } from '#domain/status-pages/page-snapshot.ts';
import type { StatusPage } from '#domain/status-pages/status-page.ts';
import { receives, type StatusSubscriber } from '#domain/status-pages/status-subscriber.ts';
import type { Clock } from '#lib/clock.ts';
import type { ChangeBatch, NewsDelivery, SentSlice } from '#store/status-pages/page-news.ts';
import type { PageKey } from '#store/status-pages/status-subscribers.ts';
import type { Store } from '#store/store.ts';
import type { SubscriptionLinks } from './subscription-links.ts';

export interface NotifyChangesDeps extends Pick<
  Store,
  'alertChannels' | 'pageNews' | 'statusPages' | 'statusSnapshots' | 'statusSubscribers'
> {
  readonly links: Pick<SubscriptionLinks, 'unsubscribe'>;
  /** Address of a page, ending in a slash. */
  readonly addressOf: (page: StatusPage) => string;
  /** Why a channel cannot be notified; null = it can. */
  readonly refusesNews: (channel: Pick<AlertChannel, 'type' | 'config'>) => string | null;
  /** Whether mails of an account can be sent. */
  readonly sendsMail: (accountId: string) => boolean;
  readonly clock: Clock;
  readonly onHandedOver: () => void;
  readonly onError: (accountId: string, error: unknown) => void;
}

/** Subscribers of a slice. */
const sliceSize = 200;
/** Messages of an account that wait at most: further slices follow when they have been sent. */
const mostWaiting = 400;
const pauseMs = 1000;
const retryMs = 60_000;
/** Pages that are remembered because they failed. */
const mostFailed = 1000;
/** Pause between two rounds of slices, so that other work has its turn, ms. */
const breathMs = 20;

/** One tick: a slice of each page with a due change. Returns the delay until the next one, ms. */
export function createNotifyChanges(deps: NotifyChangesDeps): () => Promise<number> {
  const { pageNews, clock, onError } = deps;
  /** The page that was looked at last. */
  let last: PageKey | null = null;
  /** When pages that failed are tried again, epoch ms. */
  const failedUntil = new Map<string, number>();
  let hasMore = false;
  return async () => {
    const now = clock.now();
    const { batches, next } = await pageNews.due(now, last);
    for (const batch of batches) {
      if ((failedUntil.get(batch.pageId) ?? 0) > now) continue;
      try {
        if (await notify(deps, batch)) hasMore = true;
        failedUntil.delete(batch.pageId);
      } catch (error) {
        if (failedUntil.size > mostFailed) failedUntil.clear();
        failedUntil.set(batch.pageId, now + retryMs);
        onError(batch.accountId, error);
      }
    }
    last = next;
    if (next !== null) return 0;
    const isAgain = hasMore;
    hasMore = false;
    if (isAgain) return breathMs;
    const nextAt = await pageNews.nextDueAt(now);
    return nextAt === null ? pauseMs : Math.min(pauseMs, Math.max(breathMs, nextAt - clock.now()));
  };
}

/** A page with what is published of it. */
interface Published {
  readonly page: StatusPage;
  readonly snapshot: PageSnapshot;
  readonly address: string;
}

/** Hands the next slice over; false = the rest has to wait, or there is none. */
async function notify(deps: NotifyChangesDeps, batch: ChangeBatch): Promise<boolean> {
  const { pageNews, statusPages, statusSnapshots, clock, addressOf } = deps;
  const { accountId, pageId, begunAt } = batch;
  // Before anything large is read.
  if (begunAt !== null && (await isFull(deps, accountId))) return false;
  const page = await statusPages.find(accountId, pageId);
  const snapshot = await statusSnapshots.snapshot(accountId, pageId);
  if (page?.isPublished !== true || snapshot === null) {
    await pageNews.withdraw(batch, clock.now());
    return true;
  }
  const untrue = batch.changes.filter(({ change }) => !isStillTrue(change, snapshot));
  if (untrue.length > 0) {
    const isForgotten = ({ change }: (typeof untrue)[number]): boolean => begunAt === null && change.kind === 'update';
    await pageNews.forget({ ...batch, changes: untrue.filter(isForgotten) });
    const ended = untrue.filter((each) => !isForgotten(each));
    await pageNews.withdraw({ ...batch, changes: ended }, clock.now());
    return true;
  }
  const slice = await nextSlice(deps, batch, { page, snapshot, address: addressOf(page) });
  if (await pageNews.send(batch, slice, clock.now())) deps.onHandedOver();
  return true;
}

/** Whether too many messages of an account wait. */
async function isFull({ pageNews }: NotifyChangesDeps, accountId: string): Promise<boolean> {
  return (await pageNews.waiting(accountId, mostWaiting)) >= mostWaiting;
}

async function nextSlice(deps: NotifyChangesDeps, batch: ChangeBatch, published: Published): Promise<SentSlice> {
  const { statusSubscribers } = deps;
  const { accountId, pageId, progress, begunAt } = batch;
  const items = latestOf(batch).map(({ id, change }) => ({ id, change, item: itemOf(change, published) }));
  const isFirst = begunAt === null;
  const toChannels = isFirst ? await channelDeliveries(deps, published, items) : [];
  // Readers who subscribed while others could see the page must not read on.
  if (!deps.sendsMail(accountId) || published.page.visibility === 'ACCOUNT')
    return { deliveries: toChannels, progress, notified: 0, subscribers: 0, isLast: true };
  const subscribers = isFirst ? ((await statusSubscribers.counts(accountId, [pageId])).get(pageId) ?? 0) : undefined;
  const counted = subscribers === undefined ? {} : { subscribers };
  // Channels of the account do not wait for the subscribers of its other pages.
  if (isFirst && (await isFull(deps, accountId)))
    return { deliveries: toChannels, progress, notified: 0, ...counted, isLast: false };
  const ask = { after: progress, limit: sliceSize, services: null };
  const { rows, last } = await statusSubscribers.confirmed({ accountId, pageId }, ask);
  const toSubscribers = rows.flatMap((subscriber) => subscriberDelivery(deps, published, items, subscriber));
  return {
    deliveries: [...toChannels, ...toSubscribers],
    progress: last ?? rows.at(-1)?.id ?? progress,
    notified: rows.length,
    ...counted,
    isLast: last === null,
  };
}

interface Item {
  readonly id: string;
  readonly change: PageChange;
  readonly item: NewsItem;
}

/** The changes; of an occurrence of maintenance the last one. */
function latestOf({ changes }: ChangeBatch): ChangeBatch['changes'] {
  const newest = new Map(changes.map((each) => [nameOf(each.change), each.id]));
  return changes.filter(({ id, change }) => newest.get(nameOf(change)) === id);
}

function nameOf(change: PageChange): string {
  return change.kind === 'update' ? change.updateId : change.occurrence.id;
}

function itemOf(change: PageChange, { snapshot, address }: Published): NewsItem {
  const services = new Map(snapshot.cards.flatMap((card) => card.services.map(({ id, name }) => [id, name])));
  const namesOf = (ids: readonly string[]): string[] => ids.flatMap((id) => services.get(id) ?? []);
  if (change.kind === 'maintenance') {
    const { serviceIds, ...occurrence } = change.occurrence;
    return { kind: 'maintenance', event: change.event, ...occurrence, services: namesOf(serviceIds), url: address };
  }
  const incident = snapshot.incidents.find(({ id }) => id === change.incidentId);
  const update = incident?.updates.find(({ id }) => id === change.updateId);
  if (incident === undefined || update === undefined) throw new Error('the incident is not published');
  const { id, name, severity, startedAt, resolvedAt, serviceIds } = incident;
  const url = `${address}incidents/${id}.html`;
  return { kind: 'update', update, id, name, severity, startedAt, resolvedAt, services: namesOf(serviceIds), url };
}

/** One message per change: programs read them one by one. */
async function channelDeliveries(
  { alertChannels, refusesNews }: NotifyChangesDeps,
  published: Published,
  items: readonly Item[],
): Promise<NewsDelivery[]> {
  const { accountId, alertChannelIds } = published.page;
  const present = await alertChannels.kindsOf(accountId, alertChannelIds);
  const able = present.filter((channel) => refusesNews(channel) === null);
  return items.flatMap(({ id: changeId, item }) =>
    able.map(({ id }) => ({ alertChannelId: id, changeId, news: newsOf(published, [item], null) })),
  );
}

function subscriberDelivery(
  { links }: NotifyChangesDeps,
  published: Published,
  items: readonly Item[],
  subscriber: StatusSubscriber,
): NewsDelivery[] {
  const wanted = items.filter(({ change }) => receives(subscriber, changedServices(change, published.snapshot)));
  const [first] = wanted;
  if (first === undefined) return [];
  const { id, email, accountId, pageId } = subscriber;
  const unsubscribeUrl = links.unsubscribe(published.page, { accountId, pageId, id });
  const own = wanted.map(({ item }) => shortened(item));
  const news = newsOf(published, own, { id, email, unsubscribeUrl });
  return [{ alertChannelId: subscribersChannelId, changeId: first.id, news }];
}

/** A message to a subscriber cuts longer texts: thousands of them are stored. */
function shortened(item: NewsItem): NewsItem {
  if (item.kind !== 'update') return item;
  const description = item.update.description.slice(0, 2 * longestInMessage).toWellFormed();
  return { ...item, update: { ...item.update, description } };
}

const usedTexts = /^(?:news|update)\.|^incident\.affects$/;

function newsOf(
  { snapshot, address }: Published,
  items: readonly NewsItem[],
  subscriber: PageNews['subscriber'],
): PageNews {
  const { id, name, language, timeZone, texts } = snapshot.page;
  const used = Object.fromEntries(Object.entries(texts).filter(([key]) => usedTexts.test(key)));
  return { page: { id, name, language, timeZone, texts: used, url: address }, items, subscriber };
}
