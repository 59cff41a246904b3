// Composes what serves status pages: their files in memory, and who may see them.
import type { IncomingHttpHeaders } from 'node:http';
import { errorMessage } from '#lib/errors.ts';
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
  pageRenderer,
  log,
}: Pick<ActionDeps, 'store' | 'clock' | 'authentication' | 'publicUrl' | 'pageAccess' | 'pageRenderer' | 'log'>): {
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
      take: (snapshot) => takeUp(site, { store, publicUrl, pageRenderer, log }, snapshot),
      remove: site.remove,
    }),
  };
}

async function takeUp(
  site: Site,
  { store, publicUrl, pageRenderer, log }: Pick<ActionDeps, 'store' | 'publicUrl' | 'pageRenderer' | 'log'>,
  { accountId, pageId }: { readonly accountId: string; readonly pageId: string },
): Promise<boolean> {
  const found = await store.statusSnapshots.read(accountId, pageId);
  if (found === null) return false;
  const { content, images, isPublished, visibility, passwordHash } = found;
  const known = site.etags(pageId);
  try {
    const page = await pageRenderer.render({ content, images, known, publicUrl: publicUrl(), isCopy: false });
    site.put({ ...page, accountId, pageId, isPublished, visibility, passwordHash });
  } catch (error) {
    // Other pages are served all the same. What was served before is old and says so; it may have become private.
    if (!isPublished || visibility !== 'PUBLIC') site.remove(pageId);
    log.error('status-pages.failed', { accountId, pageId, error: errorMessage(error) });
  }
  return true;
}
