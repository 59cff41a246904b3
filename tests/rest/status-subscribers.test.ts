// Subscribers of status pages over REST: lists, additions and deletions by people who edit the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

const emails = (body: { entries: readonly { address: string }[] }) => body.entries.map(({ address }) => address);

async function withPage() {
  const on = resourcesUnderTest();
  const { body: service } = await on.ask('POST', '/v1/status-pages/services', { name: 'Shop' });
  const cards = [{ name: 'All', services: [service.id] }];
  const { body: page } = await on.ask('POST', '/v1/status-pages', { name: 'Example', url: 'example', cards });
  return { on, page, service, path: `/v1/status-pages/${String(page.id)}/subscriptions` };
}

test('subscribers are added, searched, listed part by part and deleted', async () => {
  const { on, path, service } = await withPage();
  await using _closing = on;
  const added = await on.ask('POST', `${path}/bulk`, {
    subscriptions: [
      { type: 'EMAIL', address: 'One@Example.com', services: [{ id: service.id }] },
      { type: 'EMAIL', config: { address: 'two@example.com' } },
      { address: 'two@example.com' },
      { address: '=three@example.com' },
    ],
    autoVerify: true,
  });
  assert.deepEqual([added.status, added.body], [201, { created: 3, skipped: 1, status: 'VERIFIED' }], added.text);
  const first = (await on.ask('GET', `${path}?limit=2`)).body;
  const rest = (await on.ask('GET', `${path}?limit=2&nextId=${first.nextId}`)).body;
  assert.deepEqual(
    [emails(first), emails(rest), rest.nextId],
    [['one@example.com', 'two@example.com'], ['=three@example.com'], null],
  );
  const [one] = first.entries;
  assert.deepEqual([one.type, one.status, one.services[0].name], ['EMAIL', 'VERIFIED', 'Shop']);
  assert.equal(first.entries[1].services, null);
  assert.deepEqual(emails((await on.ask('GET', `${path}?search=ONE@`)).body), ['one@example.com']);
  const { text } = await on.ask('GET', `${path}/csv`);
  assert.match(text, /^address,status,services,verified_at,created_at,id\r\none@example\.com,VERIFIED,/);
  assert.match(text, /\r\n'=three@example\.com,/);
  assert.equal((await on.ask('DELETE', `${path}/${one.id}`)).status, 204);
  assert.equal((await on.ask('DELETE', `${path}/${one.id}`)).status, 404);
  assert.equal((await on.ask('GET', path)).body.length, 2);
});

test('addresses are seen by those who may edit the page, and by no other account', async () => {
  const { on, path } = await withPage();
  await using _closing = on;
  const body = { subscriptions: [{ address: 'one@example.com' }], autoVerify: true };
  await on.ask('POST', `${path}/bulk`, body);
  const id = (await on.ask('GET', path)).body.entries[0].id;
  for (const [as, status] of [
    ['tsn_reader', 403],
    ['tsn_foreign', 404],
  ] as const) {
    assert.equal((await on.ask('GET', path, undefined, as)).status, status);
    assert.equal((await on.ask('GET', `${path}/csv`, undefined, as)).status, status);
    assert.equal((await on.ask('POST', `${path}/bulk`, body, as)).status, status);
    assert.equal((await on.ask('DELETE', `${path}/${id}`, undefined, as)).status, status);
  }
});

test('what cannot work is refused: wrong addresses, services of other pages, and confirmation without mail', async () => {
  const { on, path } = await withPage();
  await using _closing = on;
  const add = async (subscription: object, autoVerify = true) =>
    on.ask('POST', `${path}/bulk`, { subscriptions: [subscription], autoVerify });
  for (const address of ['x', 'a@b', 'a@example.com\nBcc: b@example.com', 'Name <a@example.com>'])
    assert.equal((await add({ address })).status, 400, address);
  const { body: other } = await on.ask('POST', '/v1/status-pages/services', { name: 'Other' });
  const wrong = await add({ address: 'one@example.com', services: [other.id] });
  assert.deepEqual(Object.keys(wrong.body.attributes), ['subscriptions[0].services']);
  const unsent = await add({ address: 'one@example.com' }, false);
  assert.deepEqual([unsent.status, unsent.body.message.slice(0, 29)], [503, 'This server cannot send email']);
  assert.equal((await on.ask('POST', `${path}/bulk`, { subscriptions: [] })).status, 400);
  assert.equal((await on.ask('GET', path)).body.length, 0);
});

test('the audit log has one entry for many subscribers, without their addresses', async () => {
  const { on, path } = await withPage();
  await using _closing = on;
  const subscriptions = Array.from({ length: 100 }, (_, index) => ({ address: `reader-${index}@example.com` }));
  await on.ask('POST', `${path}/bulk`, { subscriptions, autoVerify: true });
  const rows = on.temp.raw.prepare("SELECT changes, count FROM audit_log WHERE resource = 'status-subscriber'").all();
  assert.equal(rows.length, 1);
  assert.equal(rows[0]?.['count'], 100);
  assert.doesNotMatch(JSON.stringify(rows), /@example/);
});
