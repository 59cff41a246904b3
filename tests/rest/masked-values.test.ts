// What a key that may not write was shown, sent back by one that may: masked values stay as they are stored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

const mask = '********';
const headers = [
  { key: 'x-key', value: 'canary', locked: true },
  { key: 'x-plain', value: 'shown', locked: false },
];

test('a check, its locked variables and a channel that come back as shown keep what is stored', async () => {
  await using api = resourcesUnderTest();
  const made = await api.ask('POST', '/v1/checks/api', {
    name: 'Cart',
    request: { method: 'GET', url: 'https://me:canary@shop.example/cart', headers, queryParameters: headers },
    environmentVariables: [{ key: 'TOKEN', value: 'canary', locked: true }],
  });
  const config = { url: 'https://hooks.example/x', headers };
  const channel = await api.ask('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  await api.ask('POST', '/v1/variables', { key: 'ACCOUNT', value: 'canary', locked: true });
  const paths = [`/v1/checks/api/${made.body.id}`, `/v1/alert-channels/${channel.body.id}`, '/v1/variables/ACCOUNT'];
  for (const path of paths) {
    const read = path.replace('/checks/api/', '/checks/');
    const stored = (await api.ask('GET', read)).body;
    const shown = (await api.ask('GET', read, undefined, 'tsn_reader')).body;
    assert.ok(JSON.stringify(shown).includes(mask) && !JSON.stringify(shown).includes('canary'), path);
    assert.ok(JSON.stringify(stored).includes('canary'), path);
    const saved = await api.ask('PUT', path, shown);
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    const again = (await api.ask('GET', read)).body;
    assert.deepEqual({ ...again, updated_at: null }, { ...stored, updated_at: null }, path);
  }
});

test('a mask of what is not stored is refused, and nothing is written', async () => {
  await using api = resourcesUnderTest();
  const request = { method: 'GET', url: 'https://shop.example/' };
  const { id } = (await api.ask('POST', '/v1/checks/api', { name: 'Cart', request })).body;
  for (const [change, field] of [
    [{ request: { headers: [{ key: 'x-key', value: mask, locked: true }] } }, 'request.headers[0].value'],
    [{ request: { url: `https://${mask}@other.example/` } }, 'request.url'],
    [{ environmentVariables: [{ key: 'TOKEN', value: mask }] }, 'environmentVariables[0].value'],
  ] as const) {
    const refused = await api.ask('PUT', `/v1/checks/api/${id}`, change);
    assert.equal(refused.status, 400, field);
    assert.deepEqual(Object.keys(refused.body.attributes), [field]);
  }
});
