// Composes what serves status pages: their files in memory, and who may see them.
import type { IncomingHttpHeaders } from 'node:http';
import { renderPage } from '#publish/render-page.ts';
import { createSite, type Site } from '#publish/serving/site.ts';
import { createRateLimit } from '#rest/rate-limit.ts';
import { cookieToken } from '#rest/session-cookie.ts';
import { createVisits, type Visits } from '#rest/status-pages/visits.ts';
import { createTakeUpPages } from '#upkeep/take-up-pages.ts';
import type { ActionDeps } from './deps.ts';

/** Passwords per minute that an address may try for a page. */
const triesPerMinute = 10;

/** What answers visits, and the step that takes up pages. */
export function composePageVisits({
  store,
  clock,
  authentication,
  publicUrl,
  pageAccess: access,
}: Pick<ActionDeps, 'store' | 'clock' | 'authentication' | 'publicUrl' | 'pageAccess'>): {
  readonly visits: Visits;
  readonly takeUpPages: () => Promise<number>;
} {
  const site = createSite();
  const tries = createRateLimit(triesPerMinute, 60_000, () => clock.now());
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
      now: () => clock.now(),
    }),
    takeUpPages: createTakeUpPages({
      list: () => store.statusSnapshots.list(),
      take: (snapshot) => takeUp(site, store, publicUrl(), snapshot),
      remove: site.remove,
    }),
  };
}

async function takeUp(
  site: Site,
  { statusSnapshots }: Pick<ActionDeps['store'], 'statusSnapshots'>,
  publicUrl: string,
  { accountId, pageId }: { readonly accountId: string; readonly pageId: string },
): Promise<boolean> {
  const found = await statusSnapshots.read(accountId, pageId);
  if (found === null) return false;
  const { snapshot, images, isPublished, visibility, passwordHash } = found;
  const { url, customDomain, allowIndexing } = snapshot.page;
  // Feeds and JSON need whole addresses.
  const address = customDomain === null ? `${publicUrl}/status/${url}/` : null;
  const files = renderPage(snapshot, images, address);
  site.put({ accountId, pageId, url, customDomain, allowIndexing, isPublished, visibility, passwordHash, files });
  return true;
}
