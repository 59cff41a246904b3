// Snippets over REST: their scripts, and the checks and groups that use them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

const login = { name: 'Log in', script: "request.headers['x-token'] = 'abc';" };
const request = { method: 'GET', url: 'http://127.0.0.1/' };

test('a snippet is created, read, changed and deleted', async () => {
  await using on = resourcesUnderTest();
  const created = await on.ask('POST', '/v1/snippets', { ...login, id: 0, created_at: '0001-01-01T00:00:00Z' });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { created_at, ...rest } = created.body;
  assert.deepEqual(rest, { id: 1, ...login, updated_at: null });
  assert.match(String(created_at), /^\d{4}-.*Z$/);
  assert.deepEqual((await on.ask('GET', '/v1/snippets/1')).body, created.body);
  const changed = await on.ask('PUT', '/v1/snippets/1', { ...login, script: 'await 1;' });
  assert.deepEqual([changed.status, changed.body['script']], [200, 'await 1;']);
  assert.deepEqual((await on.ask('GET', '/v1/snippets')).body, [changed.body]);
  assert.deepEqual((await on.ask('GET', '/v1/snippets', undefined, 'tsn_foreign')).body, []);
  assert.equal((await on.ask('GET', '/v1/snippets/1', undefined, 'tsn_foreign')).status, 404);
  assert.equal((await on.ask('DELETE', '/v1/snippets/1', undefined, 'tsn_foreign')).status, 404);
  assert.equal((await on.ask('DELETE', '/v1/snippets/1')).status, 204);
  assert.equal((await on.ask('GET', '/v1/snippets/1')).status, 404);
});

test('a syntax error is refused with its place, and so is a long script', async () => {
  await using on = resourcesUnderTest();
  const wrong = await on.ask('POST', '/v1/snippets', { ...login, script: 'const a = 1;\nconst = 2;' });
  assert.equal(wrong.status, 400);
  assert.match(String((wrong.body['attributes'] as Record<string, unknown>)['script']), /line 2/);
  const long = await on.ask('POST', '/v1/snippets', { ...login, script: `//${'x'.repeat(65_536)}` });
  assert.match(String((long.body['attributes'] as Record<string, unknown>)['script']), /64 kB/);
  await on.ask('POST', '/v1/snippets', login);
  const worse = await on.ask('PUT', '/v1/snippets/1', { script: '}' });
  assert.match(String((worse.body['attributes'] as Record<string, unknown>)['script']), /not a valid script/);
});

test('checks and groups use snippets of their account, which are kept while they do', async () => {
  await using on = resourcesUnderTest();
  const check = { name: 'Shop', request, setupSnippetId: 1, tearDownSnippetId: 0 };
  const early = await on.ask('POST', '/v1/checks/api', check);
  assert.match(
    String((early.body['attributes'] as Record<string, unknown>)['setupSnippetId']),
    /snippet of this account/,
  );
  await on.ask('POST', '/v1/snippets', login);
  const { body: created } = await on.ask('POST', '/v1/checks/api', check);
  assert.deepEqual([created['setupSnippetId'], created['tearDownSnippetId']], [1, null]);
  const { body: group } = await on.ask('POST', '/v1/check-groups', { name: 'Web', tearDownSnippetId: 1 });
  assert.equal(group['tearDownSnippetId'], 1);
  const wrong = await on.ask('PUT', `/v1/check-groups/${String(group['id'])}`, { setupSnippetId: 7 });
  assert.equal(wrong.status, 400);
  const inUse = await on.ask('DELETE', '/v1/snippets/1');
  assert.equal(inUse.status, 409);
  assert.match(String(inUse.body['message']), /is used by 1 check \(“Shop”\) and 1 check group \(“Web”\)\./);
  const uses = await on.ask('GET', '/v1/snippets/1/uses');
  assert.deepEqual(uses.body, {
    checks: { total: 1, listed: [{ id: created['id'], name: 'Shop' }] },
    groups: { total: 1, listed: [{ id: group['id'], name: 'Web' }] },
  });
  assert.equal((await on.ask('GET', '/v1/snippets/1/uses', undefined, 'tsn_foreign')).status, 404);
  assert.equal((await on.ask('PUT', `/v1/checks/api/${String(created['id'])}`, { setupSnippetId: null })).status, 200);
  assert.equal((await on.ask('PUT', `/v1/check-groups/${String(group['id'])}`, { tearDownSnippetId: 0 })).status, 200);
  assert.equal((await on.ask('DELETE', '/v1/snippets/1')).status, 204);
});
