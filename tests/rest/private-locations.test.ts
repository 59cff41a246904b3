// Private locations over REST: their slugs, keys, and the checks and groups that name them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#lib/id.ts';
import { resourcesUnderTest } from './resources-under-test.ts';

const office = { name: 'Office', slugName: 'office' };
const request = { method: 'GET', url: 'http://127.0.0.1/' };

test('a private location has a key that is shown once, and more keys on demand', async () => {
  await using on = resourcesUnderTest();
  const created = await on.ask('POST', '/v1/private-locations', office);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { id, keys, created_at: _createdAt, ...rest } = created.body;
  const [first] = keys as [{ id: string; rawKey: string; maskedKey: string }];
  assert.match(first.rawKey, /^pl_[\w-]{43}$/);
  assert.ok(first.rawKey.startsWith(first.maskedKey.replace('***', '')) && first.maskedKey.length < 16);
  const served = { agentCount: 0, lastSeen: null, runningAgents: [] };
  assert.deepEqual(rest, { ...office, icon: 'location', proxyUrl: null, ...served, updated_at: null });

  const path = `/v1/private-locations/${String(id)}`;
  const second = await on.ask('POST', `${path}/keys`);
  assert.equal(second.status, 201);
  assert.notEqual(second.body['rawKey'], first.rawKey);
  const read = await on.ask('GET', path);
  assert.doesNotMatch(JSON.stringify(read.body), /rawKey/);
  assert.equal((read.body['keys'] as unknown[]).length, 2);
  assert.doesNotMatch(JSON.stringify(on.temp.raw.prepare('SELECT * FROM private_location_keys').all()), /pl_[\w-]{20}/);

  assert.equal((await on.ask('DELETE', `${path}/keys/${first.id}`)).status, 204);
  assert.equal((await on.ask('DELETE', `${path}/keys/${first.id}`)).status, 404);
  for (let more = 1; more < 20; more += 1) assert.equal((await on.ask('POST', `${path}/keys`)).status, 201);
  const full = await on.ask('POST', `${path}/keys`);
  assert.equal(full.status, 409);
  assert.match(String(full.body['message']), /at most 20 keys/);

  assert.equal((await on.ask('DELETE', path)).status, 204);
  assert.equal((await on.ask('GET', path)).status, 404);
  assert.deepEqual(on.temp.raw.prepare('SELECT * FROM private_location_keys').all(), []);
});

test('name and icon change, the slug does not, and what clients send back is ignored', async () => {
  await using on = resourcesUnderTest();
  const { body: created } = await on.ask('POST', '/v1/private-locations', { ...office, id: '', proxyUrl: '' });
  const path = `/v1/private-locations/${String(created['id'])}`;
  const renamed = await on.ask('PUT', path, { ...created, name: 'Office 2', icon: 'rocket', lastSeen: null });
  assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
  assert.deepEqual([renamed.body['name'], renamed.body['icon']], ['Office 2', 'rocket']);
  assert.deepEqual((await on.ask('GET', path)).body, renamed.body);
  const moved = await on.ask('PUT', path, { slugName: 'cellar' });
  assert.match(
    String((moved.body['attributes'] as Record<string, unknown>)['slugName']),
    /cannot be changed from office/,
  );
  const proxied = await on.ask('PUT', path, { proxyUrl: 'http://proxy.example' });
  assert.match(String((proxied.body['attributes'] as Record<string, unknown>)['proxyUrl']), /HTTPS_PROXY/);
  const list = await on.ask('GET', '/v1/private-locations');
  assert.deepEqual(
    (list.body as unknown as { slugName: string }[]).map(({ slugName }) => slugName),
    ['office'],
  );
});

test('a slug is unlike a region, and belongs to one account of the installation', async () => {
  await using on = resourcesUnderTest();
  for (const slugName of ['eu-west-1', 'local', 'Office', '']) {
    const refused = await on.ask('POST', '/v1/private-locations', { ...office, slugName });
    assert.equal(refused.status, 400, slugName);
    assert.deepEqual(Object.keys(refused.body['attributes'] as object), ['slugName']);
  }
  assert.equal((await on.ask('POST', '/v1/private-locations', office, 'tsn_foreign')).status, 201);
  const taken = await on.ask('POST', '/v1/private-locations', office);
  assert.match(String((taken.body['attributes'] as Record<string, unknown>)['slugName']), /in use/);
});

test('checks and groups name private locations of their account, which are kept while they do', async () => {
  await using on = resourcesUnderTest();
  const { body: cellar } = await on.ask(
    'POST',
    '/v1/private-locations',
    { name: 'Cellar', slugName: 'cellar' },
    'tsn_foreign',
  );
  assert.ok(cellar['id']);
  const check = { name: 'Intranet', request, privateLocations: ['office'] };
  const early = await on.ask('POST', '/v1/checks/api', check);
  assert.match(String((early.body['attributes'] as Record<string, unknown>)['privateLocations[0]']), /has none/);
  const { body: location } = await on.ask('POST', '/v1/private-locations', office);
  const foreign = await on.ask('POST', '/v1/checks/api', { ...check, privateLocations: ['office', 'cellar'] });
  assert.match(String((foreign.body['attributes'] as Record<string, unknown>)['privateLocations[1]']), /use office/);

  const { body: created } = await on.ask('POST', '/v1/checks/api', check);
  assert.deepEqual(created['privateLocations'], ['office']);
  const { body: group } = await on.ask('POST', '/v1/check-groups', { name: 'Office', privateLocations: ['office'] });
  assert.deepEqual(group['privateLocations'], ['office']);
  const path = `/v1/private-locations/${String(location['id'])}`;
  const inUse = await on.ask('DELETE', path);
  assert.equal(inUse.status, 409);
  assert.match(String(inUse.body['message']), /used by 1 check \(“Intranet”\) and 1 check group \(“Office”\)\./);
  const uses = await on.ask('GET', `${path}/uses`);
  assert.deepEqual(uses.body, {
    checks: { total: 1, listed: [{ id: created['id'], name: 'Intranet' }] },
    groups: { total: 1, listed: [{ id: group['id'], name: 'Office' }] },
  });
  assert.equal((await on.ask('GET', `${path}/uses`, undefined, 'tsn_foreign')).status, 404);
  const [{ locations } = { locations: '' }] = on.temp.raw.prepare('SELECT locations FROM schedules').all();
  assert.equal(locations, '["office"]');

  await on.ask('PUT', `/v1/checks/api/${String(created['id'])}`, { privateLocations: [] });
  await on.ask('PUT', `/v1/check-groups/${String(group['id'])}`, { privateLocations: null });
  assert.equal((await on.ask('DELETE', path)).status, 204);
});

test('a process makes a location available to its account only, and a code that it served stays that account’s', async () => {
  await using on = resourcesUnderTest();
  const { store } = on.temp;
  await on.ask('POST', '/v1/private-locations', office);
  const runner = { id: newId(), roles: ['runner'], version: '1', host: 'cellar-pc', pid: 1, publicUrl: null };
  const quiet = { noBrowserSince: null, resolverDownSince: null, scriptsRefused: null, stalled: [], notices: [] };
  const rest = { startedAt: 1, holds: { runs: 0, deliveries: 0 }, listeners: [], ...quiet };
  const serve = (code: string) => store.processes.sign({ ...runner, ...rest, location: { code, name: code } });
  await serve('office');
  const [served] = (await on.ask('GET', '/v1/private-locations')).body as unknown as Record<string, unknown>[];
  assert.deepEqual([served?.['agentCount'], served?.['runningAgents']], [1, [{ hostname: 'cellar-pc' }]]);
  assert.notEqual(served?.['lastSeen'], null);
  assert.equal((await on.ask('DELETE', `/v1/private-locations/${String(served?.['id'])}`)).status, 204);
  assert.equal(
    (await on.ask('POST', '/v1/private-locations', office, 'tsn_foreign')).status,
    400,
    'its runner still runs',
  );
  assert.equal((await on.ask('POST', '/v1/private-locations', office)).status, 201);
  await serve('shared');
  assert.equal((await on.ask('POST', '/v1/private-locations', { ...office, slugName: 'shared' })).status, 400);
});
