// Maintenance windows over REST.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

const path = '/v1/maintenance-windows';
const restart = {
  name: 'Restart',
  tags: ['shop'],
  startsAt: '2026-03-10T22:00:00+01:00',
  endsAt: '2026-03-10T21:30:00Z',
};

test('a window is created with its defaults, read, changed in part, reset and deleted', async () => {
  await using resources = resourcesUnderTest();
  const { temp } = resources;
  const ask = resources.ask.bind(resources);
  temp.clock.advance(Date.parse('2026-03-10T21:10:00Z') - temp.clock.now());
  const created = await ask('POST', path, restart);
  assert.equal(created.status, 201);
  const { created_at, warnings, ...body } = created.body;
  assert.equal(warnings.length, 1, 'nobody has the tag');
  assert.equal(created_at, '2026-03-10T21:10:00.000Z');
  assert.deepEqual(body, {
    id: 1,
    name: 'Restart',
    description: null,
    tags: ['shop'],
    startsAt: '2026-03-10T21:00:00.000Z',
    endsAt: '2026-03-10T21:30:00.000Z',
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAt: null,
    timezone: 'UTC',
    isPublic: false,
    pauseAllChecks: false,
    silenceAllAlerts: false,
    silenceAlertsTags: [],
    checkIds: [],
    groupIds: [],
    skippedOccurrences: [],
    nextStartsAt: '2026-03-10T21:00:00.000Z',
    nextEndsAt: '2026-03-10T21:30:00.000Z',
    updated_at: null,
  });
  assert.deepEqual((await ask('GET', `${path}/1`)).body, { ...body, created_at });
  temp.clock.advance(3_600_000);
  assert.equal((await ask('GET', `${path}/1`)).body.nextStartsAt, null, 'it is over');
  const changed = await ask('PUT', `${path}/1`, { repeatUnit: 'WEEK', silenceAllAlerts: true });
  assert.deepEqual(
    [changed.status, changed.body.repeatInterval, changed.body.nextStartsAt, changed.body.tags],
    [200, 1, '2026-03-17T21:00:00.000Z', ['shop']],
  );
  assert.deepEqual((await ask('PUT', `${path}/1`, { tags: null })).body.tags, []);
  assert.equal((await ask('DELETE', `${path}/1`)).status, 204);
  assert.equal((await ask('GET', `${path}/1`)).status, 404);
});

test('a list is read page by page; other accounts and readers change nothing', async () => {
  await using resources = resourcesUnderTest();
  const ask = resources.ask.bind(resources);
  for (let n = 0; n < 12; n++) await ask('POST', path, { ...restart, name: `window ${n}` });
  const second = await ask('GET', `${path}?page=2`);
  assert.deepEqual(
    [second.body.map(({ name }: { name: string }) => name), second.range],
    [['window 10', 'window 11'], '10-11/12'],
  );
  assert.equal((await ask('PUT', `${path}/1`, { name: 'X' }, 'tsn_reader')).status, 403);
  assert.equal((await ask('PUT', `${path}/1`, { name: 'X' }, 'tsn_foreign')).status, 404);
});

test('a date without a zone is in UTC', async () => {
  await using resources = resourcesUnderTest();
  const times = { startsAt: '2026-03-10T20:00:00', endsAt: '2026-03-10T22:30', timezone: 'Europe/Berlin' };
  const { status, body } = await resources.ask('POST', path, { ...restart, ...times });
  assert.deepEqual([status, body.startsAt, body.endsAt], [201, '2026-03-10T20:00:00.000Z', '2026-03-10T22:30:00.000Z']);
});

test('what makes no times is refused by the name of its field', async () => {
  await using resources = resourcesUnderTest();
  const ask = resources.ask.bind(resources);
  const rows: readonly [change: object, field: string][] = [
    [{ endsAt: restart.startsAt }, 'endsAt'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ repeatInterval: 2 }, 'repeatUnit'],
    [{ repeatEndsAt: '2026-04-01T00:00:00Z' }, 'repeatEndsAt'],
    [{ repeatUnit: 'DAY', repeatEndsAt: '2026-03-10T21:00:00Z' }, 'repeatEndsAt'],
    [{ repeatUnit: 'DAY', endsAt: '2026-03-11T21:00:01Z' }, 'endsAt'],
    [{ startsAt: 'tomorrow' }, 'startsAt'],
    [{ startsAt: '2026-02-30T22:00:00' }, 'startsAt'],
    [{ timezone: '+01:00' }, 'timezone'],
    [{ repeatUnit: 'YEAR' }, 'repeatUnit'],
    [{ repeatUnit: 'DAY', repeatInterval: 0 }, 'repeatInterval'],
    [{ name: '' }, 'name'],
  ];
  for (const [change, field] of rows) {
    const { status, body } = await ask('POST', path, { ...restart, ...change });
    assert.equal(status, 400, JSON.stringify(change));
    assert.deepEqual(Object.keys(body.attributes), [field], JSON.stringify(change));
  }
  assert.equal(
    (await ask('POST', path, { ...restart, repeatUnit: 'DAY', endsAt: '2026-03-11T21:00:00Z' })).status,
    201,
  );
});

test('a window that affects no check is answered with a warning that gives the number of checks', async () => {
  await using resources = resourcesUnderTest();
  const ask = resources.ask.bind(resources);
  const none = await ask('POST', path, restart);
  assert.deepEqual(none.body.warnings, [
    {
      path: 'tags[0]',
      message: 'No check has the tag "shop", directly or through its group. In total, the window pauses 0 checks.',
    },
  ]);
  const id = '0193e5a0-0000-7000-8000-000000000000';
  for (const method of ['POST', 'PUT'] as const) {
    const target = method === 'POST' ? path : `${path}/${none.body.id}`;
    const base = method === 'POST' ? restart : {};
    for (const [field, value] of [
      ['checkIds', id],
      ['groupIds', 99],
    ] as const) {
      const { status, body } = await ask(method, target, { ...base, [field]: [value] });
      assert.deepEqual([status, Object.keys(body.attributes)], [400, [field]], `${method} ${field}`);
    }
  }
  const idle = await ask('PUT', `${path}/${none.body.id}`, { tags: [] });
  assert.equal(idle.body.warnings[0].path, 'tags');
  const all = await ask('PUT', `${path}/${none.body.id}`, { pauseAllChecks: true });
  assert.equal(all.body.warnings, undefined);
});

test('a window names checks and groups, and warns once they are deleted', async () => {
  await using resources = resourcesUnderTest();
  const ask = resources.ask.bind(resources);
  const group = (await ask('POST', '/v1/check-groups', { name: 'Shop' })).body.id;
  const request = { method: 'GET', url: 'https://example.com/' };
  const check = (await ask('POST', '/v1/checks/api', { name: 'Cart', groupId: group, request })).body.id;
  const named = { checkIds: [check.toUpperCase()], groupIds: [group] };
  const created = await ask('POST', path, { ...restart, tags: [], ...named });
  assert.deepEqual([created.status, created.body.warnings], [201, undefined]);
  const one = `${path}/${created.body.id}`;
  const { body } = await ask('PATCH', one, { name: 'Renamed' });
  assert.deepEqual([body.checkIds, body.groupIds, body.warnings], [[check], [group], undefined]);
  const other = (await ask('POST', '/v1/checks/api', { name: 'Search', request })).body.id;
  const lists = async (change: object) => {
    const patched = await ask('PATCH', one, change);
    assert.equal(patched.status, 200);
    const stored = (await ask('GET', one)).body;
    assert.deepEqual([stored.checkIds, stored.groupIds], [patched.body.checkIds, patched.body.groupIds]);
    return [stored.checkIds, stored.groupIds];
  };
  assert.deepEqual(
    await lists({ checkIds: [other.toUpperCase()] }),
    [[other], [group]],
    'a list is replaced, the other one stays',
  );
  assert.deepEqual(await lists({ checkIds: null }), [[], [group]]);
  assert.deepEqual(await lists({ checkIds: [check] }), [[check], [group]]);
  assert.equal((await ask('PATCH', one, { checkIds: [randomUUID()] })).status, 400);
  const foreign = await ask('POST', path, { ...restart, groupIds: [group] }, 'tsn_foreign');
  assert.notEqual(foreign.status, 201);
  assert.equal((await ask('DELETE', `/v1/checks/${check}`)).status, 204);
  const later = await ask('PUT', one, { name: 'Again' });
  assert.deepEqual(
    [later.status, later.body.warnings.map((warning: { path: string }) => warning.path)],
    [200, ['checkIds[0]', 'groupIds[0]']],
  );
});

test('a time without an offset in a window of another zone is read as UTC, with a warning', async () => {
  await using resources = resourcesUnderTest();
  const ask = resources.ask.bind(resources);
  const times = { startsAt: '2026-12-01T10:00:00', endsAt: '2026-12-01T12:00:00+01:00' };
  const body = { name: 'Move', pauseAllChecks: true, timezone: 'Europe/Berlin', ...times };
  const created = (await ask('POST', path, body)).body;
  assert.equal(created.startsAt, '2026-12-01T10:00:00.000Z');
  const message =
    'Without an offset the time is UTC (2026-12-01T10:00Z), not Europe/Berlin. Add the offset, e.g. +02:00.';
  assert.deepEqual(created.warnings, [{ path: 'startsAt', message }]);
  const zoned = { startsAt: '2026-12-01T10:00:00+01:00', endsAt: '2026-12-01T11:00:00Z' };
  assert.equal((await ask('PUT', `${path}/1`, zoned)).body.warnings, undefined);
  const repeating = { repeatUnit: 'DAY', repeatEndsAt: '2026-12-09T00:00:00' };
  assert.equal((await ask('PUT', `${path}/1`, repeating)).body.warnings[0].path, 'repeatEndsAt');
  assert.equal((await ask('PUT', `${path}/1`, { repeatEndsAt: null })).body.repeatEndsAt, null);
  assert.equal((await ask('PUT', `${path}/1`, { timezone: 'UTC', ...times })).body.warnings, undefined);
});

test('a daily window that is too long is refused with its limit of 1 day', async () => {
  await using resources = resourcesUnderTest();
  const body = { ...restart, endsAt: '2026-03-12T21:30:00Z', repeatUnit: 'DAY' };
  const refused = await resources.ask('POST', path, body);
  assert.match(refused.body.attributes.endsAt, /^must be within 1 day of startsAt/);
});
