// Check groups over REST, in both versions.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Resources, resourcesUnderTest } from './resources-under-test.ts';
import { ownId } from './rest-under-test.ts';

const request = { method: 'GET', url: 'https://shop.example/' };

async function makeGroup(api: Resources, body: object = {}, version: 'v1' | 'v2' = 'v2'): Promise<number> {
  const created = await api.ask('POST', `/${version}/check-groups`, { name: 'Shops', ...body });
  assert.equal(created.status, 201, created.text);
  return created.body.id;
}

async function makeCheck(api: Resources, body: object): Promise<string> {
  const created = await api.ask('POST', '/v1/checks/api', { name: 'A', request, ...body });
  assert.equal(created.status, 201, created.text);
  return created.body.id;
}

test('the two versions of a group differ in their defaults', async () => {
  await using api = resourcesUnderTest();
  const first = (await api.ask('POST', '/v1/check-groups', { name: 'One' })).body;
  const second = (await api.ask('POST', '/v2/check-groups', { name: 'Two' })).body;
  const common = {
    activated: true,
    muted: false,
    mutedUntil: null,
    mutedUntilRecovery: false,
    dependsOn: [],
    tags: [],
    locations: [],
    privateLocations: null,
    concurrency: 3,
    runtimeId: null,
    environmentVariables: [],
    apiCheckDefaults: { url: '', headers: [], queryParameters: [], assertions: [], basicAuth: null },
    browserCheckDefaults: {},
    alertChannelSubscriptions: [],
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
    created_at: '2026-03-10T12:00:00.000Z',
    updated_at: null,
  };
  assert.deepEqual(first, {
    ...common,
    id: 1,
    name: 'One',
    doubleCheck: true,
    runParallel: false,
    useGlobalAlertSettings: true,
    alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 1 } },
    retryStrategy: 'FALLBACK',
  });
  assert.deepEqual(second, {
    ...common,
    id: 2,
    name: 'Two',
    doubleCheck: false,
    runParallel: null,
    useGlobalAlertSettings: null,
    alertSettings: null,
    retryStrategy: 'FALLBACK',
  });
  // null has a meaning of its own in these two; elsewhere it resets to the default.
  assert.equal((await api.ask('PUT', '/v1/check-groups/2', { runParallel: null })).body.runParallel, null);
  assert.equal((await api.ask('PUT', '/v2/check-groups/1', { retryStrategy: null })).body.retryStrategy, null);
  assert.equal((await api.ask('PUT', '/v2/check-groups/1', { concurrency: null })).body.concurrency, 3);
});

test('a group is read, changed in part, listed by tags and names, and deleted', async () => {
  await using api = resourcesUnderTest();
  const id = await makeGroup(api, { name: 'Läden', tags: ['a', 'b'] });
  await makeGroup(api, { name: 'Other', tags: ['a'] });
  const changed = await api.ask('PUT', `/v2/check-groups/${id}`, { muted: true });
  assert.equal(changed.status, 200);
  assert.equal(changed.body.name, 'Läden');
  assert.deepEqual((await api.ask('GET', `/v1/check-groups/${id}`)).body, changed.body);
  const ids = async (query: string) =>
    (await api.ask('GET', `/v1/check-groups?${query}`)).body.map((group: { id: number }) => group.id);
  assert.deepEqual(await ids(''), [1, 2]);
  assert.deepEqual(await ids('tag=a&tag=b'), [1]);
  assert.deepEqual(await ids('name=Other&name=Nobody'), [2]);
  assert.equal((await api.ask('DELETE', `/v1/check-groups/${id}`)).status, 204);
  assert.equal((await api.ask('DELETE', `/v1/check-groups/${id}`)).status, 404);
  assert.equal((await api.ask('GET', '/v1/check-groups')).range, '0-0/1');
  assert.equal(await makeGroup(api), 3, 'no number is given twice');
});

test('variables of a group or check take 64 kB together, and a list that is larger already may shrink', async () => {
  await using api = resourcesUnderTest();
  const lists = (size: number) => [1, 2, 3].map((n) => ({ key: `KEY_${n}`, value: 'x'.repeat(size), secret: true }));
  const groupId = await makeGroup(api, { environmentVariables: lists(21_000) });
  const checkId = await makeCheck(api, { environmentVariables: lists(21_000) });
  const kept = lists(1).map((each) => ({ ...each, value: null }));
  const more = [...kept, { key: 'MORE', value: 'y'.repeat(3000), secret: true }];
  for (const path of [`/v2/check-groups/${groupId}`, `/v1/checks/api/${checkId}`]) {
    const refused = await api.ask('PUT', path, { environmentVariables: more });
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(refused.body), /at most 65,536 bytes of names and values, not 66,019/);
    assert.equal((await api.ask('PUT', path, { environmentVariables: kept })).status, 200);
  }
});

test('what a group sets wins where its settings are applied; what it leaves open stays', async () => {
  await using api = resourcesUnderTest();
  const retryStrategy = { type: 'FIXED', maxRetries: 3 };
  const groupId = await makeGroup(api, { locations: ['eu-west-1'], runParallel: true, muted: true, retryStrategy });
  const id = await makeCheck(api, {
    groupId,
    locations: ['local'],
    useGlobalAlertSettings: false,
    runtimeId: '2026.04',
  });
  const plain = (await api.ask('GET', `/v1/checks/${id}`)).body;
  assert.deepEqual(
    [plain.locations, plain.runParallel, plain.muted, plain.retryStrategy],
    [['local'], false, false, null],
  );
  const paths = [`/v1/checks/${id}?applyGroupSettings=true`, `/v1/check-groups/${groupId}/checks/${id}`];
  for (const path of paths) {
    const applied = (await api.ask('GET', path)).body;
    assert.deepEqual([applied.locations, applied.runParallel, applied.muted], [['eu-west-1'], true, true]);
    assert.equal(applied.retryStrategy.maxRetries, 3);
    assert.equal(applied.useGlobalAlertSettings, false);
    assert.equal(applied.runtimeId, '2026.04');
  }
  const [listed] = (await api.ask('GET', '/v1/checks?applyGroupSettings=true')).body;
  assert.equal(listed.muted, true);
});

test('the checks of a group are listed in their order, and stay when it is deleted', async () => {
  await using api = resourcesUnderTest();
  const groupId = await makeGroup(api, { locations: ['eu-west-1'] });
  const late = await makeCheck(api, { groupId, groupOrder: 10 });
  const none = await makeCheck(api, { groupId });
  const soon = await makeCheck(api, { groupId, groupOrder: 2 });
  const other = await makeCheck(api, {});
  const listed = await api.ask('GET', `/v1/check-groups/${groupId}/checks?limit=2`);
  assert.equal(listed.range, '0-1/3');
  assert.deepEqual(
    listed.body.map(({ id }: { id: string }) => id),
    [soon, late],
  );
  assert.equal((await api.ask('GET', `/v1/check-groups/${groupId}/checks?limit=2&page=2`)).body[0].id, none);
  assert.equal((await api.ask('GET', `/v1/check-groups/${groupId}/checks/${other}`)).status, 404);
  assert.equal((await api.ask('GET', `/v1/check-groups/9/checks`)).status, 404);

  assert.equal((await api.ask('DELETE', `/v1/check-groups/${groupId}`)).status, 204);
  assert.equal((await api.ask('GET', `/v1/checks/${late}`)).body.groupId, null);
  const rows = api.temp.raw.prepare('SELECT locations FROM schedules').all();
  assert.deepEqual(
    rows.map((row) => row['locations']),
    ['[]', '[]', '[]', '[]'],
  );
});

test('deactivating a group stops its checks, and activating it starts them again', async () => {
  await using api = resourcesUnderTest();
  const groupId = await makeGroup(api);
  await makeCheck(api, { groupId });
  await makeCheck(api, { groupId, activated: false });
  const scheduled = () => Number(api.temp.raw.prepare('SELECT count(*) AS n FROM schedules').get()?.['n']);
  assert.equal(scheduled(), 1);
  await api.ask('PUT', `/v2/check-groups/${groupId}`, { activated: false });
  assert.equal(scheduled(), 0);
  await api.ask('PUT', `/v2/check-groups/${groupId}`, { activated: null });
  assert.equal(scheduled(), 1);
});

test('secrets of a group never come out and stay when their mask is sent back', async () => {
  await using api = resourcesUnderTest();
  const id = await makeGroup(api, {
    environmentVariables: [{ key: 'TOKEN', value: 'canary', secret: true }],
    apiCheckDefaults: { basicAuth: { username: 'bob', password: 'canary' } },
  });
  const shown = await api.ask('GET', `/v1/check-groups/${id}`);
  assert.doesNotMatch(shown.text, /canary/);
  assert.equal(shown.body.apiCheckDefaults.basicAuth.password, '********');
  const sentBack = await api.ask('PUT', `/v2/check-groups/${id}`, shown.body);
  assert.equal(sentBack.status, 200, sentBack.text);
  const stored = await api.temp.store.checkGroups.find('0199f0c4-0000-7000-8000-000000000001', id);
  assert.equal(stored?.group.environmentVariables[0]?.value, 'canary');
  assert.match(JSON.stringify(stored?.group.apiCheckDefaults), /"password":"canary"/);
});

test('wrong fields of a group are named, and foreign ids are as unknown as those of nothing', async () => {
  await using api = resourcesUnderTest();
  for (const [change, path] of [
    [{ naem: 'x' }, 'naem'],
    [{ locations: ['mars'] }, 'locations[0]'],
    [{ runtimeId: 'x' }, 'runtimeId'],
    [{ concurrency: 0 }, 'concurrency'],
    [{ alertChannelSubscriptions: [{ alertChannelId: 3 }] }, 'alertChannelSubscriptions[0].alertChannelId'],
  ] as const) {
    const refused = await api.ask('POST', '/v2/check-groups', { name: 'A', ...change });
    assert.equal(refused.status, 400);
    assert.deepEqual(Object.keys(refused.body.attributes), [path]);
  }
  assert.equal((await api.ask('POST', '/v2/check-groups', { name: 'A' }, 'tsn_foreign')).body.id, 1);
  for (const id of ['1', '99', '99999999999999999999']) {
    for (const [method, path] of [
      ['GET', `/v1/check-groups/${id}`],
      ['PUT', `/v2/check-groups/${id}`],
      ['DELETE', `/v1/check-groups/${id}`],
      ['GET', `/v1/check-groups/${id}/checks/${randomUUID()}`],
    ] as const) {
      assert.equal((await api.ask(method, path, { name: 'B' })).status, 404, `${method} ${path}`);
    }
  }
  for (const id of ['0', '-1', 'x', '1.5']) assert.equal((await api.ask('GET', `/v1/check-groups/${id}`)).status, 400);
});

test('two changes of a group at once both hold', async () => {
  await using api = resourcesUnderTest();
  const id = await makeGroup(api);
  await Promise.all([
    api.ask('PUT', `/v2/check-groups/${id}`, { name: 'B' }),
    api.ask('PUT', `/v2/check-groups/${id}`, { muted: true }),
    api.ask('PUT', `/v2/check-groups/${id}`, { concurrency: 7 }),
  ]);
  const { name, muted, concurrency } = (await api.ask('GET', `/v1/check-groups/${id}`)).body;
  assert.deepEqual({ name, muted, concurrency }, { name: 'B', muted: true, concurrency: 7 });
});

test('a check and its group are muted until an instant in the future; the later one holds', async () => {
  await using api = resourcesUnderTest();
  const past = await api.ask('POST', '/v2/check-groups', { name: 'A', mutedUntil: '2026-03-10T13:00:00+01:00' });
  assert.deepEqual([past.status, past.body.attributes], [400, { mutedUntil: 'must be in the future, or null' }]);
  const groupId = await makeGroup(api, { mutedUntil: '2026-03-10T14:00:00+01:00' });
  const id = await makeCheck(api, { groupId, mutedUntil: '2026-03-10T12:30:00Z' });
  const read = async (query = '') => (await api.ask('GET', `/v1/checks/${id}${query}`)).body;
  assert.equal((await read()).mutedUntil, '2026-03-10T12:30:00.000Z');
  assert.equal((await read('?applyGroupSettings=true')).mutedUntil, '2026-03-10T13:00:00.000Z');
  const wrong = await api.ask('PUT', `/v1/checks/api/${id}`, { mutedUntil: '2026-03-09T12:30:00Z' });
  assert.equal(wrong.status, 400);
  assert.equal((await api.ask('PUT', `/v1/checks/api/${id}`, { mutedUntil: null })).body.mutedUntil, null);
});

test('checks join and leave a group in one request, all or none', async () => {
  await using api = resourcesUnderTest();
  const groupId = await makeGroup(api);
  const other = await makeGroup(api);
  const one = await makeCheck(api, {});
  const two = await makeCheck(api, { groupId: other });
  const change = (body: object, as?: 'tsn_reader' | 'tsn_foreign') =>
    api.ask('PUT', `/v1/check-groups/${groupId}/checks`, body, as);
  const members = async (id: number): Promise<readonly string[]> =>
    (await api.ask('GET', `/v1/check-groups/${id}/checks`)).body.map((check: { id: string }) => check.id);
  assert.deepEqual((await change({ add: [one, two, one] })).body, { added: 2, removed: 0 });
  assert.deepEqual(new Set(await members(groupId)), new Set([one, two]));
  assert.deepEqual(await members(other), []);
  assert.deepEqual((await change({ remove: [two, randomUUID()] })).body, { added: 0, removed: 1 });
  assert.deepEqual(await members(groupId), [one]);

  const unknown = await change({ add: [two, randomUUID()] });
  assert.equal(unknown.status, 400);
  assert.deepEqual(unknown.body.attributes, { 'add[1]': 'is not the ID of a check of this account' });
  assert.deepEqual(await members(groupId), [one]);
  const both = await change({ add: [two], remove: [two] });
  assert.match(both.text, /must not contain a check that is also in add/);
  const many = Array.from({ length: 101 }, () => randomUUID());
  assert.match((await change({ add: many, remove: many.map(() => randomUUID()) })).text, /at most 200 checks/);
  assert.equal((await change({ add: [two] }, 'tsn_reader')).status, 403);
  assert.equal((await change({ add: [two] }, 'tsn_foreign')).status, 404);
});

test('a copy of a group keeps values that its source masks', async () => {
  await using api = resourcesUnderTest();
  const environmentVariables = [{ key: 'TOKEN', value: 'of the shop', secret: true }];
  const headers = [{ key: 'authorization', value: 'Bearer of the shop', locked: true }];
  const id = await makeGroup(api, { environmentVariables, apiCheckDefaults: { headers } });
  const {
    id: _id,
    created_at: _at,
    updated_at: _on,
    ...written
  } = (await api.ask('GET', `/v1/check-groups/${id}`, undefined, 'tsn_reader')).body;
  const copied = await api.ask('POST', `/v2/check-groups?copyOf=${id}`, written);
  assert.equal(copied.status, 201, copied.text);
  assert.doesNotMatch(copied.text, /of the shop.*of the shop/);
  const { store } = api.temp;
  const stored = await store.checkGroups.find(ownId, copied.body.id);
  assert.equal(stored?.group.environmentVariables[0]?.value, 'of the shop');
  assert.match(JSON.stringify(stored?.group.apiCheckDefaults), /Bearer of the shop/);
  assert.equal((await api.ask('POST', '/v2/check-groups?copyOf=99', written)).status, 404);
});
