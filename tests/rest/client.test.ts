// The typed client, against a server on a socket.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, ServiceError } from '#contract/caller.ts';
import { createClient } from '#contract/client.ts';
import { restUnderTest, secondId } from './rest-under-test.ts';

const { server } = restUnderTest();
let baseUrl = '';
let client: Client;

before(async () => {
  baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  client = createClient({ baseUrl: `${baseUrl}/`, apiKey: 'tsn_admin' });
});
after(() => server.close());

test('the client writes, reads, pages and deletes', async () => {
  const made = await client.call('createVariable', { body: { key: 'A', value: '1' } });
  assert.equal(made.locked, false);
  assert.equal((await client.call('getVariable', { params: { key: 'A' } })).value, '1');
  const { items, total } = await client.page('listVariables', { query: { limit: 5 } });
  assert.deepEqual([items.length, total], [1, 1]);
  assert.equal(await client.call('deleteVariable', { params: { key: 'A' } }), undefined);
});

test('the client acts on the account it was given', async () => {
  const second = createClient({ baseUrl, apiKey: 'tsn_admin', accountId: secondId });
  assert.equal((await second.call('getOwnAccount')).id, secondId);
});

test('a path parameter cannot change the path', async () => {
  await assert.rejects(
    client.call('getVariable', { params: { key: '../accounts' } }),
    (error: unknown) =>
      error instanceof ServiceError && error.statusCode === 404 && error.message.includes('../accounts'),
  );
});

test('a refusal is an error that carries the message, the wrong fields and the request id', async () => {
  await assert.rejects(client.call('createVariable', { body: { key: '1', value: '' } }), (error: unknown) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.statusCode, 400);
    assert.deepEqual(Object.keys(error.attributes), ['key']);
    assert.ok(error.requestId);
    return true;
  });
});

test('an answer of something in between is an error, too', async () => {
  const proxied = createClient({
    baseUrl,
    fetch: async () => new Response('<html>Bad gateway</html>', { status: 502, statusText: 'Bad Gateway' }),
  });
  await assert.rejects(proxied.call('listRuntimes'), /HTTP 502 Bad Gateway/);
});
