// Assertions that an older version saved: they keep passing for absent values until they are changed or upgraded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { resourcesUnderTest } from './resources-under-test.ts';
import { ownId } from './rest-under-test.ts';

const assertion = { source: 'JSON_BODY', comparison: 'NOT_EQUALS', property: '$.state', target: 'broken', regex: null };
const older = { ...assertion, passesIfAbsent: true };
const request = { method: 'GET', url: 'https://shop.example/', assertions: [assertion] };
const writes = { subscriptions: null, isAutoAssigned: false, variables: [] };

test('an older assertion of a check keeps its meaning until it is changed or upgraded', async () => {
  await using resources = resourcesUnderTest();
  const { temp } = resources;
  const ask: typeof resources.ask = (...call) => resources.ask(...call);
  const { body } = await ask('POST', '/v1/checks/api', { name: 'Shop', request });
  assert.deepEqual(body.request.assertions, [assertion]);
  const path = `/v1/checks/api/${body.id}`;
  const age = () =>
    temp.store.checks.change(ownId, body.id, ({ check }) => {
      const settings = { ...check.settings, request: { ...(check.settings['request'] as JsonObject), ...request } };
      return { ...writes, check: { ...check, settings } };
    });
  const shown = async (): Promise<unknown> => (await ask('GET', `/v1/checks/${body.id}`)).body.request.assertions;
  await age();
  assert.deepEqual(await shown(), [older]);
  const renamed = await ask('PUT', path, { name: 'Shop 2' });
  assert.deepEqual(renamed.body.request.assertions, [older]);
  assert.match(JSON.stringify(renamed.body.warnings), /request\.assertions\[0\].*passes if the value does not exist/);
  const whole = (await ask('GET', `/v1/checks/${body.id}`)).body;
  assert.deepEqual((await ask('PUT', path, { request: whole.request })).body.request.assertions, [older]);
  const changed = { ...older, target: 'down' };
  const reply = await ask('PUT', path, { request: { ...request, assertions: [older, changed] } });
  assert.deepEqual(reply.body.request.assertions, [older, { ...assertion, target: 'down' }]);
  const strict = { ...assertion, passesIfAbsent: false };
  assert.deepEqual(
    (await ask('PUT', path, { request: { ...request, assertions: [strict] } })).body.warnings,
    undefined,
  );
  assert.deepEqual(await shown(), [assertion]);
  await age();
  const upgraded = await ask('POST', `/v1/checks/${body.id}/upgrade-assertions`);
  assert.deepEqual([upgraded.status, upgraded.body.request.assertions], [200, [assertion]]);
  assert.deepEqual((await ask('PUT', path, { request })).body.request.assertions, [assertion]);
});

test('the older assertions of a group are upgraded on their own', async () => {
  await using resources = resourcesUnderTest();
  const { temp } = resources;
  const ask: typeof resources.ask = (...call) => resources.ask(...call);
  const defaults = { assertions: [assertion] };
  const { body } = await ask('POST', '/v2/check-groups', { name: 'Shops', apiCheckDefaults: defaults });
  await temp.store.checkGroups.change(ownId, body.id, ({ group }) => ({
    ...writes,
    group: { ...group, apiCheckDefaults: { ...group.apiCheckDefaults, ...defaults } },
  }));
  const path = `/v1/check-groups/${body.id}`;
  const kept = await ask('PUT', `/v2/check-groups/${body.id}`, { apiCheckDefaults: defaults });
  assert.deepEqual(kept.body.apiCheckDefaults.assertions, [older]);
  const upgraded = await ask('POST', `${path}/upgrade-assertions`);
  assert.deepEqual([upgraded.status, upgraded.body.apiCheckDefaults.assertions], [200, [assertion]]);
});
