// Visits of one status page, with a store for its subscribers.
import { after } from 'node:test';
import { createPageAccess } from '#actions/status-pages/page-access.ts';
import { createPublicSubscriptions } from '#actions/status-pages/status-subscriptions.ts';
import { createSubscriptionLinks } from '#actions/status-pages/subscription-links.ts';
import { createSubscriptionSheets } from '#publish/html/subscription.ts';
import { renderedFiles } from '#publish/serving/rendered-page.ts';
import { createSite, type SitePage } from '#publish/serving/site.ts';
import type { VisitRequest } from '#rest/status-pages/subscription-visits.ts';
import { createVisits } from '#rest/status-pages/visits.ts';
import { examplePage } from '../support/page-snapshots.ts';
import { openTempStore } from '../support/store/temp-store.ts';

export const text = `<!doctype html>${'<p>All systems are operational.</p>'.repeat(60)}`;
export const visitSecret = Buffer.alloc(32, 7);

const sheets = createSubscriptionSheets(examplePage(), []);

export const aPage: SitePage = {
  accountId: '00000000-0000-4000-8000-000000000001',
  pageId: '00000000-0000-4000-8000-000000000002',
  url: 'example',
  customDomain: 'status.example.com',
  isPublished: true,
  visibility: 'PUBLIC',
  passwordHash: null,
  allowIndexing: true,
  takesSubscribers: true,
  sheets,
  files: renderedFiles(
    new Map([
      ['index.html', { mediaType: 'text/html; charset=utf-8', content: Buffer.from(text) }],
      ['incidents/1.html', { mediaType: 'text/html; charset=utf-8', content: Buffer.from('One') }],
    ]),
  ),
};

const temp = openTempStore();
after(() => temp[Symbol.asyncDispose]());

/** The store of the subscribers of all pages. */
export const visitStore = temp;
export const visitLinks = createSubscriptionLinks({ publicUrl: () => 'https://tocsin.example', secret: visitSecret });

export function visitsOf(fields: Partial<SitePage> = {}, isMember = false) {
  const site = createSite();
  const access = createPageAccess(visitSecret);
  const page = { ...aPage, ...fields };
  site.put(page);
  const tries = new Map<string, number>();
  let requests = 5;
  let requested = 0;
  const visits = createVisits({
    site,
    access,
    reachesAccount: () => Promise.resolve(isMember),
    mayTry: (address) => {
      const count = (tries.get(address) ?? 0) + 1;
      tries.set(address, count);
      return count <= 3;
    },
    subscriptions: createPublicSubscriptions({
      ...temp.store,
      links: visitLinks,
      clock: temp.clock,
      onRequested: () => void requested++,
    }),
    plainSheets: sheets,
    maySubscribe: () => requests-- > 0,
    mayUse: () => true,
    now: () => 1_800_000_000_000,
  });
  const visit = async (target: string, request: Partial<VisitRequest> = {}) => {
    const readForm = () => Promise.resolve(null);
    const plain = { method: 'GET', headers: {}, foreignName: null, address: '192.0.2.1', readForm };
    return visits({ ...plain, target, ...request });
  };
  return { visit, site, access, page, requested: () => requested };
}
