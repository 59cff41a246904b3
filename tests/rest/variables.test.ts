// Environment variables over REST.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restUnderTest } from './rest-under-test.ts';

const { server } = restUnderTest();
const headers = { authorization: 'Bearer tsn_writer' };

function send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object) {
  return server.inject({ method, url, headers, ...(body && { payload: body }) });
}

test('a variable is created, read, changed in part, reset and deleted', async () => {
  const created = await send('POST', '/v1/variables', { key: 'SHOP', value: 'a', locked: true });
  assert.equal(created.statusCode, 201);
  assert.deepEqual(created.json(), { key: 'SHOP', value: 'a', locked: true, secret: false });
  assert.deepEqual((await send('GET', '/v1/variables/SHOP')).json(), created.json());

  const changed = await send('PUT', '/v1/variables/SHOP', { value: 'b' });
  assert.equal(changed.statusCode, 200);
  assert.deepEqual(changed.json(), { key: 'SHOP', value: 'b', locked: true, secret: false });
  assert.equal((await send('PUT', '/v1/variables/SHOP', { locked: null })).json().locked, false);

  const deleted = await send('DELETE', '/v1/variables/SHOP');
  assert.equal(deleted.statusCode, 204);
  assert.equal(deleted.body, '');
  assert.equal((await send('GET', '/v1/variables/SHOP')).statusCode, 404);
  assert.equal((await send('DELETE', '/v1/variables/SHOP')).statusCode, 404);
});

test('the value of a secret variable is never shown', async () => {
  const created = await send('POST', '/v1/variables', { key: 'PASSWORD', value: 'hunter2', secret: true });
  assert.equal(created.json().value, null);
  for (const url of ['/v1/variables', '/v1/variables/PASSWORD']) {
    assert.doesNotMatch((await send('GET', url)).body, /hunter2/);
  }
});

test('a name that alert templates cannot print is refused, with one that they can', async () => {
  for (const [key, right] of [
    ['date', 'DATE'],
    ['isTruthy', 'IS_TRUTHY'],
    ['true', 'TRUE'],
    ['constructor', 'CONSTRUCTOR'],
    ['CHECK_NAME', 'MY_CHECK_NAME'],
  ]) {
    const refused = await send('POST', '/v1/variables', { key, value: '1' });
    assert.equal(refused.statusCode, 400, key);
    assert.match(refused.json().attributes.key, new RegExp(`use another name, e\\.g\\. ${right}$`));
  }
});

test('a second variable of the same key is a conflict', async () => {
  await send('POST', '/v1/variables', { key: 'TWICE', value: '1' });
  const again = await send('POST', '/v1/variables', { key: 'TWICE', value: '2' });
  assert.equal(again.statusCode, 409);
  assert.equal(again.json().error, 'Conflict');
});

test('a key cannot be changed, but may be repeated', async () => {
  await send('POST', '/v1/variables', { key: 'FIXED', value: '1' });
  assert.equal((await send('PUT', '/v1/variables/FIXED', { key: 'FIXED', value: '2' })).statusCode, 200);
  const renamed = await send('PUT', '/v1/variables/FIXED', { key: 'OTHER', value: '2' });
  assert.equal(renamed.statusCode, 400);
  assert.deepEqual(Object.keys(renamed.json().attributes), ['key']);
});

test('a list is read page by page, and says how many there are', async () => {
  const { server } = restUnderTest();
  for (let index = 0; index < 12; index++) {
    await server.inject({ method: 'POST', url: '/v1/variables', headers, payload: { key: `K${index}`, value: '' } });
  }
  const first = await server.inject({ url: '/v1/variables', headers });
  assert.equal(first.headers['content-range'], '0-9/12');
  assert.equal(first.json().length, 10);
  const second = await server.inject({ url: '/v1/variables?page=2', headers });
  assert.equal(second.headers['content-range'], '10-11/12');
  const beyond = await server.inject({ url: '/v1/variables?limit=100&page=2', headers });
  assert.equal(beyond.headers['content-range'], '0-0/12');
  assert.deepEqual(beyond.json(), []);
});

for (const query of [
  'limit=0',
  'limit=101',
  'limit=',
  'limit=1.5',
  'limit=abc',
  'limit=1&limit=2',
  'page=0',
  'page=-1',
]) {
  test(`a page cannot be asked for with ${query}`, async () => {
    const answer = await send('GET', `/v1/variables?${query}`);
    assert.equal(answer.statusCode, 400);
    assert.match(answer.json().attributes[query.split('=', 1)[0] ?? ''], /integer from 1 to/);
  });
}
