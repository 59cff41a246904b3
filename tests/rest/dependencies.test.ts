// Dependencies of checks and groups over REST.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Resources, resourcesUnderTest } from './resources-under-test.ts';

const request = { method: 'GET', url: 'https://shop.example/' };

async function add(api: Resources, name: string, more: object = {}): Promise<string> {
  const { status, body, text } = await api.ask('POST', '/v1/checks/api', { name, request, ...more });
  assert.equal(status, 201, text);
  return body.id;
}

test('checks and groups show the checks that they depend on, once each', async () => {
  await using api = resourcesUnderTest();
  const database = await add(api, 'Database');
  const app = await add(api, 'App', { dependsOn: [database.toUpperCase(), database] });
  assert.deepEqual((await api.ask('GET', `/v1/checks/${app}`)).body.dependsOn, [database]);
  assert.deepEqual((await api.ask('GET', `/v1/checks/${database}`)).body.dependsOn, []);
  const { body: group } = await api.ask('POST', '/v2/check-groups', { name: 'Shop', dependsOn: [database] });
  assert.deepEqual(group.dependsOn, [database]);
  assert.equal((await api.ask('PUT', `/v1/checks/api/${app}`, { name: 'Shop app' })).status, 200);
  assert.deepEqual((await api.ask('GET', `/v1/checks/${app}`)).body.dependsOn, [database]);
  assert.equal((await api.ask('DELETE', `/v1/checks/${database}`)).status, 204);
  assert.deepEqual((await api.ask('GET', `/v1/checks/${app}`)).body.dependsOn, []);
  assert.deepEqual((await api.ask('GET', `/v1/check-groups/${group.id}`)).body.dependsOn, []);
});

test('dependencies that cannot hold are 400 with the field and the reason', async () => {
  await using api = resourcesUnderTest();
  const database = await add(api, 'Database');
  const app = await add(api, 'App', { dependsOn: [database] });
  const refused = async (dependsOn: readonly unknown[]): Promise<string> => {
    const { status, text } = await api.ask('PUT', `/v1/checks/api/${database}`, { dependsOn });
    assert.equal(status, 400, text);
    return text;
  };
  assert.match(await refused([app]), /dependsOn.*forms a cycle: Database → App → Database/);
  assert.match(await refused([randomUUID()]), /dependsOn\[0\].*is not the ID of a check of this account/);
  assert.match(await refused(['Database']), /dependsOn\[0\].*must be a UUID/);
  assert.match(await refused(Array.from({ length: 11 }, () => randomUUID())), /dependsOn.*10/);
  assert.deepEqual((await api.ask('GET', `/v1/checks/${database}`)).body.dependsOn, []);
});
