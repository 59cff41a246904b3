// Subscriptions by visitors of status pages: requested, confirmed and ended by links, and answered alike for everyone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPageAccess } from '#actions/status-pages/page-access.ts';
import { confirmableMs, type StatusSubscriber } from '#domain/status-pages/status-subscriber.ts';
import { newId } from '#lib/id.ts';
import { createSubscriptionSheets } from '#publish/html/subscription.ts';
import type { VisitRequest } from '#rest/status-pages/subscription-visits.ts';
import { examplePage } from '../support/page-snapshots.ts';
import { putAccount } from '../support/store/rows.ts';
import { aStatusPage } from '../support/store/status-pages.ts';
import { visitLinks, visitSecret, visitsOf, visitStore } from './visits-under-test.ts';

const [shop, mail] = [newId(), newId()];
const sheets = createSubscriptionSheets(examplePage({ name: 'Example <b>status</b>' }), [
  { id: shop, name: 'Shop' },
  { id: mail, name: 'Mail' },
]);

/** Visits of a stored page. */
async function storedPage(fields: Parameters<typeof visitsOf>[0] = {}) {
  const accountId = putAccount(visitStore.raw);
  const page = aStatusPage(accountId);
  await visitStore.store.statusPages.add(page, {});
  const key = { accountId, pageId: page.id };
  const of = visitsOf({ ...key, url: page.url, customDomain: null, sheets, ...fields });
  const root = `/status/${page.url}/`;
  const post = (path: string, body?: Record<string, string> | string, request: Partial<VisitRequest> = {}) =>
    of.visit(path.startsWith('/') ? path : root + path, {
      method: 'POST',
      readForm: () => Promise.resolve(body === undefined ? null : new URLSearchParams(body)),
      ...request,
    });
  const subscribers = async (): Promise<readonly StatusSubscriber[]> =>
    (await visitStore.store.statusSubscribers.list(key, null, 100, null)).rows;
  return { ...of, root, key, post, subscribers };
}

/** The path of a link. */
const pathOf = (link: string): string => new URL(link).pathname;

const linkedPage = (root: string) => ({ url: root.split('/')[2] ?? '', customDomain: null });

test('a visitor subscribes to chosen services and confirms with a button, and opening the link confirms nothing', async () => {
  const { visit, post, subscribers, root, requested } = await storedPage();
  const answer = await post('subscribe', `address=One%40Example.com&services=${shop}&services=${newId()}`);
  assert.equal(answer?.status, 202);
  assert.match(String(answer?.body), /Check your inbox/);
  assert.equal(requested(), 1);
  const [pending] = await subscribers();
  assert.ok(pending !== undefined);
  assert.deepEqual([pending.email, pending.serviceIds, pending.confirmedAt], ['one@example.com', [shop], null]);
  const path = pathOf(visitLinks.confirm(linkedPage(root), pending));
  const opened = await visit(path);
  assert.equal(opened?.status, 200);
  assert.match(String(opened?.body), /<form method="post"><button>Confirm<\/button><\/form>/);
  assert.equal((await subscribers())[0]?.confirmedAt, null);
  assert.match(String((await post(path))?.body), /You are subscribed/);
  assert.equal((await subscribers())[0]?.confirmedAt, visitStore.clock.now());
  assert.match(String((await post(path))?.body), /You are subscribed/);
});

test('known and unknown addresses get the same answer, byte for byte', async () => {
  const { post, subscribers, key } = await storedPage();
  await visitStore.store.statusSubscribers.add(key, [{ email: 'known@example.com', serviceIds: null }], true);
  const known = await post('subscribe', { address: 'known@example.com' });
  const unknown = await post('subscribe', { address: 'unknown@example.com' });
  assert.deepEqual(known, unknown);
  assert.equal((await subscribers()).length, 2);
});

test('what is no address is refused, and an address that asks too often has to wait', async () => {
  const { post, subscribers } = await storedPage();
  for (const address of ['', 'x', 'a b@example.com', 'a@b', 'a@example.com\r\nBcc: b@example.com'])
    assert.equal((await post('subscribe', { address }))?.status, 400, address);
  const waiting = await post('subscribe', { address: 'one@example.com' });
  assert.deepEqual([waiting?.status, waiting?.headers['retry-after']], [429, '3600']);
  assert.deepEqual(await subscribers(), []);
});

test('programs subscribe with JSON', async () => {
  const { post } = await storedPage();
  const answer = await post('subscribe', { address: 'one@example.com' }, { headers: { accept: 'application/json' } });
  assert.deepEqual([answer?.status, answer?.body], [202, '{"status":"sent"}']);
});

test('a link ends a subscription at once when a mail program posts to it, and after a button for people', async () => {
  const { visit, post, subscribers, root, key } = await storedPage();
  const add = async (email: string) => {
    await visitStore.store.statusSubscribers.add(key, [{ email, serviceIds: [mail] }], true);
    const found = (await subscribers()).find((each) => each.email === email);
    assert.ok(found !== undefined);
    return pathOf(visitLinks.unsubscribe(linkedPage(root), found));
  };
  const [one, two] = [await add('one@example.com'), await add('two@example.com')];
  const form = String((await visit(one))?.body);
  assert.match(form, /<form method="post"><button>Unsubscribe<\/button><\/form>/);
  assert.ok(form.includes(`value="${mail}" checked`) && !form.includes(`value="${shop}" checked`));
  assert.match(String((await post(one, `action=choose&services=${shop}`))?.body), /Saved/);
  assert.deepEqual((await subscribers())[0]?.serviceIds, [shop]);
  assert.match(String((await post(one, 'action=choose'))?.body), /Saved/);
  assert.equal((await subscribers())[0]?.serviceIds, null);
  const oneClick = await post(one, 'List-Unsubscribe=One-Click');
  assert.deepEqual([oneClick?.status, (await subscribers()).length], [200, 1]);
  // As multipart/form-data the body is no form that is read.
  assert.equal((await post(two))?.status, 200);
  assert.deepEqual(await subscribers(), []);
  assert.deepEqual(await post(two), await post(one, 'action=choose'), 'who is unknown is answered alike');
});

test('links of a page survive another address, its end, and its being private', async () => {
  const { visit, post, subscribers, site, key } = await storedPage({ visibility: 'PASSWORD', passwordHash: 'x' });
  await visitStore.store.statusSubscribers.add(key, [{ email: 'one@example.com', serviceIds: null }], true);
  const [found] = await subscribers();
  assert.ok(found !== undefined);
  const path = pathOf(visitLinks.unsubscribe({ url: 'older', customDomain: null }, found));
  assert.match(String((await visit(path))?.body), /Example &lt;b&gt;status/);
  site.remove(key.pageId);
  assert.equal((await visit(path))?.status, 200);
  assert.equal((await post(path))?.status, 200);
  assert.deepEqual(await subscribers(), []);
});

test('links tell nothing of a page that became a draft or one for the account, and still end the subscription', async () => {
  for (const fields of [{ visibility: 'ACCOUNT' }, { isPublished: false }] as const) {
    const { visit, post, subscribers, root, key } = await storedPage(fields);
    await visitStore.store.statusSubscribers.add(key, [{ email: 'one@example.com', serviceIds: [mail] }], true);
    const [found] = await subscribers();
    assert.ok(found !== undefined);
    const path = pathOf(visitLinks.unsubscribe(linkedPage(root), found));
    const body = String((await visit(path))?.body);
    assert.match(body, /Unsubscribe/);
    assert.doesNotMatch(body, /&lt;b&gt;|value="/);
    assert.equal((await post(path, `action=choose&services=${mail}`))?.status, 429);
    assert.deepEqual((await subscribers())[0]?.serviceIds, [mail]);
    assert.equal((await post(path, 'List-Unsubscribe=One-Click'))?.status, 200);
    assert.deepEqual(await subscribers(), []);
  }
});

test('an expired, changed or foreign link opens nothing', async () => {
  const { visit, post, subscribers, root, key } = await storedPage();
  await post('subscribe', { address: 'one@example.com' });
  const [pending] = await subscribers();
  assert.ok(pending !== undefined);
  const confirm = pathOf(visitLinks.confirm(linkedPage(root), pending));
  const unsubscribe = pathOf(visitLinks.unsubscribe(linkedPage(root), pending));
  for (const wrong of [
    confirm.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
    confirm.replace('/confirm/', '/unsubscribe/'),
    unsubscribe.replace('/unsubscribe/', '/confirm/'),
    `${root}confirm/x`,
  ]) {
    assert.equal((await visit(wrong))?.status, 404, wrong);
    assert.equal((await post(wrong))?.status, 404, wrong);
  }
  assert.equal((await visit(confirm, { method: 'PUT' }))?.status, 405);
  const other = { ...pending, accountId: newId() };
  assert.match(String((await post(pathOf(visitLinks.confirm(linkedPage(root), other))))?.body), /Invalid link/);
  visitStore.clock.advance(confirmableMs);
  assert.equal((await post(confirm))?.status, 404);
  assert.equal(await visitStore.store.statusSubscribers.confirm({ ...key, id: pending.id }), false);
});

test('only those who can see a page can subscribe, and only if it takes subscribers', async () => {
  const address = { address: 'one@example.com' };
  const draft = await storedPage({ isPublished: false });
  const closed = await storedPage({ takesSubscribers: false });
  const locked = await storedPage({ visibility: 'PASSWORD', passwordHash: 'x' });
  const linked = await storedPage({ visibility: 'LINK' });
  const statusOf = async ({ post }: typeof draft, path = 'subscribe') => (await post(path, address))?.status;
  assert.deepEqual(
    [await statusOf(draft), await statusOf(closed), await statusOf(locked), await statusOf(linked)],
    [404, 405, 405, 404],
  );
  const access = createPageAccess(visitSecret);
  assert.equal(await statusOf(linked, `~${access.linkToken(linked.page)}/subscribe`), 202);
  const headers = { cookie: access.unlock(locked.page, { path: '/', isSecure: false }, 1_800_000_000_000) };
  assert.equal((await locked.post('subscribe', address, { headers }))?.status, 202);
  for (const { subscribers } of [draft, closed]) assert.deepEqual(await subscribers(), []);
});

test('pages about a subscription load nothing, run nothing and tell no other site where they are', async () => {
  const { post } = await storedPage();
  const { headers = {}, body } = (await post('subscribe', { address: 'one@example.com' })) ?? {};
  const policy = headers['content-security-policy'] ?? '';
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'self'; frame-/);
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['cache-control'], 'no-store');
  assert.doesNotMatch(String(body), /<script|src=|<b>|https?:/);
  const german = createSubscriptionSheets(
    examplePage({ language: 'de', texts: { 'subscription.end.submit': '<i>Weg</i>' } }),
    [],
  ).render({ kind: 'end' }, null);
  assert.match(german, /<html lang="de">[^]*<h1>Abmelden<\/h1>[^]*&lt;i&gt;Weg/);
});
