// Pages are built from what is stored: when something changes and each minute, by one process, with nothing internal.
import assert from 'node:assert/strict';
import type { PageSnapshot, PublicService } from '#domain/status-pages/page-snapshot.ts';
import { newId } from '#lib/id.ts';
import { idText } from '#store/base/codec.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { putAccount } from '../support/store/rows.ts';
import { aStatusIncident, aStatusPage, aStatusService } from '../support/store/status-pages.ts';
import { PagesUnderTest } from './pages-under-test.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

const stateOf = ({ state, since }: Pick<PublicService, 'state' | 'since'>) => [state, since];

onSqlite(
  'a service has the state of the checks that it names by ID, group and tag, from the first result on',
  async (newStore) => {
    await using pages = await PagesUnderTest.open(newStore);
    const { path, store } = pages;
    const { accountId } = path;
    const group = await store.checkGroups.add({
      group: aGroup(accountId, { tags: ['eu'] }),
      subscriptions: null,
      isAutoAssigned: false,
    });
    assert.ok('saved' in group);
    const groupId = group.saved.group.id;
    const [own, tagged] = [await path.check(), await path.check({ tags: ['shop'] })];
    await path.check({ groupId });
    const add = async (fields: object): Promise<string> =>
      (await store.statusServices.add(aStatusService(accountId, fields))).id;
    const ids = [
      await add({ checkIds: [own] }),
      await add({ groupIds: [groupId] }),
      await add({ tags: ['shop', 'eu'] }),
      await add({ checkIds: [own, tagged], threshold: { of: 'CHECKS', count: 2 } }),
      await add({}),
    ];
    const page = await pages.pageOf(...ids);
    const tick = pages.process();
    await tick();
    assert.deepEqual(
      (await pages.services(page)).map(({ state }) => state),
      ['unknown', 'unknown', 'unknown', 'unknown', 'operational'],
    );
    assert.equal((await pages.snapshot(page)).state, 'unknown');
    const first = path.now;
    await path.runAll('passed');
    await tick();
    const calm = ['operational', first];
    assert.deepEqual((await pages.services(page)).map(stateOf), [calm, calm, calm, calm, ['operational', null]]);
    path.temp.clock.advance(10_000);
    const second = path.now;
    await path.schedule();
    const outcomes = (await path.claim()).map((run) =>
      path.ended(run, run.run.checkId === own ? 'failed' : run.run.checkId === tagged ? 'degraded' : 'passed'),
    );
    await path.record(outcomes);
    await tick();
    assert.deepEqual((await pages.services(page)).map(stateOf), [
      ['outage', second],
      calm,
      ['degraded', second],
      ['degraded', second],
      ['operational', null],
    ]);
    assert.deepEqual(stateOf(await pages.snapshot(page)), ['outage', second]);
    path.temp.clock.advance(20 * minuteMs);
    await tick();
    assert.equal((await pages.services(page))[1]?.state, 'unknown', 'old results say nothing of now');
  },
);

test('a page is built when something changes and each minute, by one process at a time', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { clock } = path.temp;
  const [one, two] = [pages.process('one'), pages.process('two')];
  const took = async (): Promise<string[]> => {
    pages.built = [];
    await one();
    await two();
    return pages.built;
  };
  assert.deepEqual(await took(), [], 'there are no pages');
  const page = await pages.pageOf();
  assert.deepEqual(await took(), ['one own']);
  const built = (await store.statusSnapshots.list())[0];
  assert.deepEqual(await took(), [], 'nothing changed');
  clock.advance(minuteMs - 1);
  assert.deepEqual(await took(), []);
  clock.advance(1);
  assert.deepEqual(await took(), ['one own']);
  const again = (await store.statusSnapshots.list())[0];
  assert.deepEqual(again, { ...built, builtAt: clock.now() }, 'the same content has the same fingerprint');
  clock.advance(1000);
  await store.statusServices.add(aStatusService(path.accountId));
  assert.deepEqual(await took(), ['one own']);
  assert.deepEqual((await store.statusSnapshots.list())[0], again, 'nothing of the page was changed');
  clock.advance(minuteMs - 1000);
  assert.deepEqual(await took(), ['one own'], 'a minute after it was stored, not built');
  assert.equal((await store.statusSnapshots.list())[0]?.builtAt, clock.now());
  await store.statusPages.change(path.accountId, page.id, (present) => ({ ...present, name: 'Other' }), {});
  assert.deepEqual(await took(), ['one own']);
  const other = (await store.statusSnapshots.list())[0];
  assert.notEqual(other?.fingerprint, built?.fingerprint);
  const foreign = putAccount(path.temp.raw);
  await store.statusPages.add(aStatusPage(foreign, { isPublished: false }), {});
  assert.deepEqual(await took(), ['one other'], 'a draft has a snapshot too');
  clock.advance(10_000);
  pages.built = [];
  await two();
  assert.deepEqual(pages.built.toSorted(), ['two other', 'two own'], 'the process before it has ended');
  await one();
  assert.equal(pages.built.length, 2);
});

onSqlite('incidents raise the state of their services, and updates appear when they are public', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { accountId } = path;
  const [shown, elsewhere] = [
    await store.statusServices.add(aStatusService(accountId)),
    await store.statusServices.add(aStatusService(accountId)),
  ];
  const page = await pages.pageOf(shown.id);
  const at = path.now;
  const update = { id: newId(), notifySubscribers: false, createdAt: at };
  const first = { ...update, status: 'IDENTIFIED', description: 'It is the database.', publicAt: at } as const;
  const last = { ...update, id: newId(), status: 'RESOLVED', description: 'Done.', publicAt: at + 30_000 } as const;
  const add = (fields: object) => store.statusIncidents.add(aStatusIncident(accountId, fields));
  const { id } = await add({ serviceIds: [shown.id, elsewhere.id], startedAt: at - 1000, updates: [first, last] });
  await add({ serviceIds: [elsewhere.id] });
  await add({ serviceIds: [shown.id], isDraft: true });
  await add({ serviceIds: [shown.id], updates: [{ ...last, id: newId(), publicAt: at + dayMs }] });
  const tick = pages.process();
  assert.ok((await tick()) <= 1000);
  const before = await pages.snapshot(page);
  assert.deepEqual(stateOf(before), ['outage', at - 1000]);
  assert.deepEqual(before.incidents, [
    {
      id,
      name: 'Payments fail',
      severity: 'MAJOR',
      status: 'IDENTIFIED',
      serviceIds: [shown.id],
      startedAt: at - 1000,
      resolvedAt: null,
      publishedAt: at,
      isBackdated: false,
      postmortem: null,
      updates: [{ id: first.id, status: 'IDENTIFIED', description: 'It is the database.', at }],
    },
  ]);
  path.temp.clock.advance(30_000);
  await tick();
  const after = await pages.snapshot(page);
  assert.deepEqual(stateOf(after), ['operational', at + 30_000], 'an update that was scheduled has become public');
  assert.deepEqual(
    [after.incidents[0]?.status, after.incidents[0]?.resolvedAt, after.incidents[0]?.updates.length],
    ['RESOLVED', at + 30_000, 2],
  );
  assert.equal((await store.statusIncidents.find(accountId, id))?.resolvedAt, at + 30_000);
});

onSqlite('a draft is published when its time has come, and others are not', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { accountId } = path;
  const service = await store.statusServices.add(aStatusService(accountId));
  const page = await pages.pageOf(service.id);
  const add = async (publishAt: number | null): Promise<string> => {
    const draft = { serviceIds: [service.id], isDraft: true, publishAt };
    return (await store.statusIncidents.add(aStatusIncident(accountId, draft))).id;
  };
  const due = await add(path.now + 5000);
  await add(path.now + dayMs);
  await add(null);
  const tick = pages.process();
  await tick();
  assert.deepEqual((await pages.snapshot(page)).incidents, []);
  path.temp.clock.advance(5000);
  await tick();
  const { state, incidents } = await pages.snapshot(page);
  assert.deepEqual([state, incidents.map(({ id }) => id)], ['outage', [due]]);
  const published = await store.statusIncidents.find(accountId, due);
  assert.deepEqual([published?.isDraft, published?.publishAt, published?.publishedAt], [false, null, path.now]);
  assert.equal(incidents[0]?.publishedAt, path.now);
});

test('maintenance of a check is shown with its services ahead, in progress and done', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { accountId } = path;
  const checkId = await path.check({ tags: ['db'] });
  const service = await store.statusServices.add(aStatusService(accountId, { checkIds: [checkId] }));
  const byHand = await store.statusServices.add(aStatusService(accountId));
  const page = await pages.pageOf(service.id, byHand.id);
  const at = path.now;
  const write = {
    name: 'Upgrade',
    description: 'Faster disks',
    tags: ['db'],
    startsAt: at + minuteMs,
    endsAt: at + 2 * minuteMs,
    repeatInterval: 30,
    repeatUnit: 'DAY',
    repeatEndsAt: at + 31 * dayMs,
    timezone: 'UTC',
    pauseAllChecks: false,
    silenceAllAlerts: false,
    isPublic: true,
    silenceAlertsTags: [],
    checkIds: [],
    groupIds: [],
  } as const;
  await store.maintenanceWindows.add(accountId, write);
  await store.maintenanceWindows.add(accountId, { ...write, tags: ['another'] });
  const tick = pages.process();
  await path.runAll('passed');
  await tick();
  const ahead = await pages.snapshot(page);
  const spans = ({ maintenance }: PageSnapshot) => maintenance.map(({ startsAt, endsAt }) => [startsAt, endsAt]);
  const both = [0, 30].map((days) => [at + days * dayMs + minuteMs, at + days * dayMs + 2 * minuteMs]);
  assert.deepEqual(spans(ahead), both);
  assert.deepEqual(ahead.maintenance[0]?.serviceIds, [service.id]);
  path.temp.clock.advance(minuteMs);
  await tick();
  assert.deepEqual((await pages.services(page)).map(stateOf), [
    ['maintenance', at + minuteMs],
    ['operational', null],
  ]);
  path.temp.clock.advance(minuteMs);
  await tick();
  assert.deepEqual(spans(await pages.snapshot(page)), both);
  assert.equal((await pages.services(page))[0]?.state, 'operational');
});

test('nothing of a check, a channel or the account is in a snapshot', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { accountId } = path;
  const canary = 'c4n4ry';
  const saved = await store.checkGroups.add({
    group: aGroup(accountId, { name: `${canary} group`, tags: [`${canary}-group`] }),
    subscriptions: null,
    isAutoAssigned: false,
  });
  assert.ok('saved' in saved);
  const groupId = saved.saved.group.id;
  const request = { method: 'GET', url: `https://${canary}.example/`, headers: [{ key: canary, value: canary }] };
  const checkId = await path.check({
    name: `${canary} check`,
    tags: [`${canary}-tag`],
    groupId,
    settings: { request },
    environmentVariables: [{ key: canary, value: canary, locked: false, secret: false }],
  });
  await path.channel(checkId, { config: { name: canary, url: 'http://127.0.0.1:9/' } });
  const sources = { checkIds: [checkId], groupIds: [groupId], tags: [`${canary}-tag`, `${canary}-group`] };
  const service = await store.statusServices.add(
    aStatusService(accountId, {
      ...sources,
      incidents: { ...aStatusService(accountId).incidents, name: canary, description: canary },
    }),
  );
  const page = await pages.page({
    passwordHash: canary,
    visibility: 'PASSWORD',
    showResponseTimes: true,
    cards: [{ id: newId(), name: 'Shop', serviceIds: [service.id] }],
  });
  await path.schedule();
  const finding = path.finding('failed', {
    message: canary,
    details: { status: 500, body: canary },
    exchange: JSON.stringify({ response: canary }),
  });
  await path.record((await path.claim()).map((run) => path.ended(run, 'failed', { finding })));
  const [incident] = path.rows('SELECT id FROM incidents');
  assert.ok(incident?.['id'] instanceof Uint8Array);
  const incidentId = idText(incident['id']);
  await store.statusIncidents.add(aStatusIncident(accountId, { serviceIds: [service.id], proposedFor: service.id }));
  await pages.process()();
  const snapshot = await pages.snapshot(page);
  assert.deepEqual([snapshot.state, snapshot.incidents.length], ['outage', 1]);
  const text = JSON.stringify(snapshot);
  for (const secret of [canary, accountId, checkId, incidentId, finding.message ?? '', 'alertChannel']) {
    assert.ok(!text.includes(secret), `${secret} in ${text}`);
  }
  const keys = Object.keys(snapshot.cards[0]?.services[0] ?? {});
  assert.deepEqual(keys, ['id', 'name', 'description', 'state', 'since', 'days', 'responseTimes']);
});

test('an outage opens a draft once, publishes it in time, and a recovery resolves it', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { accountId } = path;
  const checkId = await path.check({ name: 'shop' });
  const incidents = { ...aStatusService(accountId).incidents, mode: 'PUBLISH', afterMinutes: 5 } as const;
  const service = await store.statusServices.add(
    aStatusService(accountId, { name: 'Checkout', checkIds: [checkId], incidents }),
  );
  const page = await pages.pageOf(service.id);
  const [one, other] = [pages.process(), pages.process('two')];
  await path.schedule();
  await path.record((await path.claim()).map((run) => path.ended(run, 'failed')));
  await Promise.all([one(), other()]);
  const drafts = await store.statusIncidents.list(accountId, { isDraft: true }, null, 10);
  assert.deepEqual(
    drafts.map(({ name, updates }) => [name, updates.map(({ status }) => status)]),
    [['Checkout', ['INVESTIGATING']]],
  );
  assert.deepEqual([(await pages.snapshot(page)).incidents.length, (await pages.snapshot(page)).state], [0, 'outage']);
  path.temp.clock.advance(5 * minuteMs);
  await Promise.all([one(), other()]);
  assert.deepEqual(
    (await pages.snapshot(page)).incidents.map(({ name, status }) => [name, status]),
    [['Checkout', 'INVESTIGATING']],
  );
  await path.schedule();
  await path.record((await path.claim()).map((run) => path.ended(run, 'passed')));
  path.temp.clock.advance(2000);
  await Promise.all([one(), other()]);
  const [over] = (await pages.snapshot(page)).incidents;
  assert.deepEqual([over?.status, over?.updates.length], ['RESOLVED', 2]);
  assert.equal((await store.statusIncidents.list(accountId, {}, null, 10)).length, 1);
});

test('a scheduled update ends its incident when it becomes public', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { store, path } = pages;
  const { accountId } = path;
  const now = path.temp.clock.now();
  const { id, updates } = await store.statusIncidents.add(aStatusIncident(accountId, { startedAt: now }));
  const [first] = updates;
  assert.ok(first !== undefined);
  const page = await pages.page({});
  const later = { ...first, id: newId(), status: 'RESOLVED', publicAt: now + 30_000 } as const;
  await store.statusIncidents.saveUpdate(accountId, id, later);
  const tick = pages.process();
  await tick();
  assert.equal((await pages.snapshot(page)).incidents[0]?.resolvedAt, null);
  path.temp.clock.advance(30_000);
  await tick();
  assert.equal((await pages.snapshot(page)).incidents[0]?.resolvedAt, now + 30_000);
  assert.equal((await store.statusIncidents.find(accountId, id))?.resolvedAt, now + 30_000);
});

onSqlite('a page has a form for subscribers unless its owner or its visibility forbids it', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const built = [
    await pages.page({}),
    await pages.page({ visibility: 'LINK' }),
    await pages.page({ allowSubscribers: false }),
    await pages.page({ visibility: 'ACCOUNT' }),
  ];
  await pages.process()();
  const takes = await Promise.all(built.map(async (page) => (await pages.snapshot(page)).page.takesSubscribers));
  assert.deepEqual(takes, [true, true, false, false]);
});

test('a page is published anew when its logo changes', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { accountId } = path;
  const page = await pages.page({});
  const tick = pages.process();
  const hashes: (string | undefined)[] = [];
  for (const byte of [1, 2]) {
    const logo = { mediaType: 'image/png', content: Uint8Array.of(byte) };
    path.temp.clock.advance(minuteMs);
    await store.statusPages.change(accountId, page.id, (present) => present, { logo });
    await tick();
    hashes.push((await pages.snapshot(page)).page.images.logo?.hash);
  }
  assert.ok(hashes[0] !== undefined && hashes[1] !== undefined && hashes[0] !== hashes[1]);
});
