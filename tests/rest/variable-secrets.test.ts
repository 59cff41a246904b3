// Secret variables: never shown, kept when their mask comes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownId } from './rest-under-test.ts';
import { resourcesUnderTest } from './resources-under-test.ts';

test('a secret variable is kept when its null or mask is sent back, and replaced by a new value', async () => {
  await using api = resourcesUnderTest();
  const stored = async () => (await api.temp.store.variables.find(ownId, 'TOKEN'))?.value;
  const created = await api.ask('POST', '/v1/variables', { key: 'TOKEN', value: 'canary', secret: true });
  assert.deepEqual(created.body, { key: 'TOKEN', value: null, locked: false, secret: true });
  for (const body of [created.body, { value: '********' }, { locked: true }]) {
    const kept = await api.ask('PUT', '/v1/variables/TOKEN', body);
    assert.equal(kept.status, 200, kept.text);
    assert.equal(await stored(), 'canary');
  }
  await api.ask('PUT', '/v1/variables/TOKEN', { value: 'other' });
  assert.equal(await stored(), 'other');
  assert.ok(api.temp.stored().includes('TOKEN'));
  assert.ok(!api.temp.stored().includes('canary'), 'sealed in the file');
});

test('a secret does not turn into a plain variable without a new value', async () => {
  await using api = resourcesUnderTest();
  await api.ask('POST', '/v1/variables', { key: 'TOKEN', value: 'canary', secret: true });
  for (const body of [{ secret: false }, { secret: null }, { secret: false, value: null }]) {
    const refused = await api.ask('PUT', '/v1/variables/TOKEN', body);
    assert.equal(refused.status, 400);
    assert.deepEqual(Object.keys(refused.body.attributes), ['value']);
  }
  const plain = await api.ask('PUT', '/v1/variables/TOKEN', { secret: false, value: 'open' });
  assert.equal(plain.body.value, 'open');
  const hidden = await api.ask('PUT', '/v1/variables/TOKEN', { secret: true });
  assert.equal(hidden.body.value, null, 'the other way round needs none');
});

test('a locked value is shown only to those who may change it', async () => {
  await using api = resourcesUnderTest();
  await api.ask('POST', '/v1/variables', { key: 'PLACE', value: 'canary', locked: true });
  assert.equal((await api.ask('GET', '/v1/variables/PLACE')).body.value, 'canary');
  for (const path of ['/v1/variables', '/v1/variables/PLACE']) {
    assert.doesNotMatch((await api.ask('GET', path, undefined, 'tsn_reader')).text, /canary/);
  }
});

test('two changes of a variable at once both hold, and a foreign key is a 404', async () => {
  await using api = resourcesUnderTest();
  await api.ask('POST', '/v1/variables', { key: 'A', value: '1' });
  await Promise.all([
    api.ask('PUT', '/v1/variables/A', { value: '2' }),
    api.ask('PUT', '/v1/variables/A', { locked: true }),
  ]);
  assert.deepEqual((await api.ask('GET', '/v1/variables/A')).body, {
    key: 'A',
    value: '2',
    locked: true,
    secret: false,
  });
  assert.equal((await api.ask('GET', '/v1/variables/A', undefined, 'tsn_foreign')).status, 404);
  assert.equal((await api.ask('POST', '/v1/variables', { key: 'A', value: '1' })).status, 409);
});

test('hundreds of variables are paged in the order of their keys', async () => {
  await using api = resourcesUnderTest();
  for (let number = 0; number < 220; number++) {
    await api.ask('POST', '/v1/variables', { key: `K${String(number).padStart(3, '0')}`, value: '' });
  }
  const page = await api.ask('GET', '/v1/variables?limit=100&page=3');
  assert.equal(page.range, '200-219/220');
  assert.equal(page.body.at(-1).key, 'K219');
});

test('a group may not subscribe a channel whose template names a secret of that group', async () => {
  await using api = resourcesUnderTest();
  const config = { url: 'https://hooks.example/', template: 'key={{GROUP_KEY}}' };
  const channel = await api.ask('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  assert.equal(channel.status, 201, channel.text);
  const subscribing = { alertChannelSubscriptions: [{ alertChannelId: channel.body.id, activated: true }] };
  const hiding = { environmentVariables: [{ key: 'GROUP_KEY', value: 'canary', secret: true }] };
  const isRefused = async (method: 'POST' | 'PUT', path: string, body: object, field: string) => {
    const refused = await api.ask(method, path, body);
    assert.equal(refused.status, 400, `${method} ${path}`);
    assert.match(refused.body.attributes[field], /config\.template: GROUP_KEY is a secret/);
    assert.doesNotMatch(refused.text, /canary/);
  };
  const subscribed = 'alertChannelSubscriptions[0].alertChannelId';
  for (const version of ['v1', 'v2']) {
    const path = `/${version}/check-groups`;
    await isRefused('POST', path, { name: 'Shop', ...subscribing, ...hiding }, subscribed);
    const secretive = await api.ask('POST', path, { name: 'Shop', ...hiding });
    await isRefused('PUT', `${path}/${secretive.body.id}`, subscribing, subscribed);
    const open = await api.ask('POST', path, { name: 'Shop', ...subscribing });
    assert.equal(open.status, 201, open.text);
    await isRefused('PUT', `${path}/${open.body.id}`, hiding, 'environmentVariables');
    const both = await api.ask('PUT', `${path}/${open.body.id}`, { alertChannelSubscriptions: [], ...hiding });
    assert.equal(both.status, 200, both.text);
  }
});
