// Composes what serves status pages: their files in memory, and who may see them.
import type { IncomingHttpHeaders } from 'node:http';
import { createPublicSubscriptions } from '#actions/status-pages/status-subscriptions.ts';
import { errorMessage } from '#lib/errors.ts';
import { createSubscriptionSheets } from '#publish/html/subscription.ts';
import { createSite, type Site } from '#publish/serving/site.ts';
import { countedAddress, createRateLimit } from '#rest/rate-limit.ts';
import { cookieToken } from '#rest/session-cookie.ts';
import { createVisits, type Visits } from '#rest/status-pages/visits.ts';
import { createTakeUpPages } from '#upkeep/take-up-pages.ts';
import type { ActionDeps } from './deps.ts';

/** Passwords per minute that an address may try for a page. */
const triesPerMinute = 10;
/** Subscriptions per hour that an address may request, on all pages. */
const requestsPerHour = 20;
/** How often per minute the links of a subscriber may be used. */
const usesPerMinute = 30;

/** For links to pages that are no longer served. */
const plainSheets = createSubscriptionSheets(
  {
    name: 'Status page',
    language: 'en',
    timeZone: 'UTC',
    texts: {},
    defaultTheme: 'AUTO',
    themeColors: { light: null, dark: null },
  },
  [],
);

/** What answers visits, and the step that takes up pages. */
export function composePageVisits({
  store,
  clock,
  authentication,
  publicUrl,
  pageAccess: access,
  subscriptionLinks: links,
  pageRenderer,
  log,
  wake,
}: Omit<ActionDeps, 'provider'>): { readonly visits: Visits; readonly takeUpPages: () => Promise<number> } {
  const site = createSite();
  const tries = createRateLimit(triesPerMinute, 60_000, () => clock.now());
  const requests = createRateLimit(requestsPerHour, 3_600_000, () => clock.now());
  const uses = createRateLimit(usesPerMinute, 60_000, () => clock.now());
  const onRequested = (): void => wake('confirm-subscribers');
  const reachesAccount = async (headers: IncomingHttpHeaders, accountId: string): Promise<boolean> => {
    const token = cookieToken(headers, publicUrl());
    if (token === undefined) return false;
    const principal = await authentication.authenticateSession(token, accountId);
    const membership = principal?.memberships.find((each) => each.accountId === accountId);
    return membership !== undefined && membership.needsSecondFactor !== true;
  };
  return {
    visits: createVisits({
      site,
      access,
      reachesAccount,
      mayTry: (address, pageId) => tries.take(`${pageId} ${address}`)?.isAllowed !== false,
      subscriptions: createPublicSubscriptions({ ...store, links, clock, onRequested }),
      plainSheets,
      maySubscribe: (address) => requests.take(countedAddress(address))?.isAllowed !== false,
      mayUse: (subscriberId) => uses.take(subscriberId)?.isAllowed !== false,
      now: () => clock.now(),
    }),
    takeUpPages: createTakeUpPages({
      list: () => store.statusSnapshots.list(),
      take: (snapshot) => takeUp(site, { store, publicUrl, pageAccess: access, pageRenderer, log }, snapshot),
      remove: site.remove,
    }),
  };
}

async function takeUp(
  site: Site,
  {
    store,
    publicUrl,
    pageAccess: access,
    pageRenderer,
    log,
  }: Pick<ActionDeps, 'store' | 'publicUrl' | 'pageAccess' | 'pageRenderer' | 'log'>,
  { accountId, pageId }: { readonly accountId: string; readonly pageId: string },
): Promise<boolean> {
  const found = await store.statusSnapshots.read(accountId, pageId);
  if (found === null) return false;
  const { content, images, url, isPublished, visibility, passwordHash } = found;
  const known = site.etags(pageId);
  try {
    // What was built of it may be older than its row.
    const linkToken = visibility === 'LINK' ? access.linkToken({ accountId, pageId, url }) : null;
    const options = { known, linkToken, publicUrl: publicUrl(), isCopy: false };
    const page = await pageRenderer.render({ content, images, ...options });
    const sheets = createSubscriptionSheets(page.subscribed.page, page.subscribed.services);
    site.put({ ...page, sheets, accountId, pageId, isPublished, visibility, passwordHash });
  } catch (error) {
    // Other pages are served all the same. What was served before is old and says so; it may have become private.
    if (!isPublished || visibility !== 'PUBLIC') site.remove(pageId);
    log.error('status-pages.failed', { accountId, pageId, error: errorMessage(error) });
  }
  return true;
}
