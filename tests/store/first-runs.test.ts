// Checks that run at once: when they are created, activated again or given another target (docs/decisions/0116).
import assert from 'node:assert/strict';
import type { Check } from '#domain/checks/check.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { createRecordResults } from '#pipeline/record-results.ts';
import { createRunChecks } from '#pipeline/run-checks.ts';
import { createScheduleRuns } from '#pipeline/schedule-runs.ts';
import { idBytes, idText } from '#store/base/codec.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

const daily: Partial<Check> = { frequency: 1440, frequencyOffset: null };
const settingsOf = (url: string) => ({ request: { url, method: 'GET', assertions: [] }, maxResponseTime: 5000 });

function schedulerOf(test: PathUnderTest, locations: readonly string[] = ['local']) {
  return createScheduleRuns({
    store: test.path,
    firstRuns: test.temp.store.firstRuns,
    clock: { now: () => test.now, lastSet: null },
    locations: () => locations,
    startedAt: test.now,
    wake: () => {},
  });
}

/** What one turn of the scheduler started, as `check location`; then those runs are over. */
async function started(test: PathUnderTest, locations?: readonly string[]): Promise<string[]> {
  await schedulerOf(test, locations)();
  const runs = test.rows('SELECT * FROM runs ORDER BY due_at, location');
  const attempts = [];
  for (const location of new Set(runs.map((run) => String(run['location'])))) {
    attempts.push(...(await test.claim('one', location)).map((claimed) => test.ended(claimed, 'passed')));
  }
  await test.record(attempts);
  assert.equal(test.one('SELECT count(*) FROM runs'), 0);
  assert.ok(runs.every((run) => run['source'] === 2 && run['slot_at'] === null));
  return runs.map((run) => `${idText(run['check_id'] as Uint8Array)} ${String(run['location'])}`);
}

async function addGroup(test: PathUnderTest, change: Partial<CheckGroup>): Promise<number> {
  const write = { group: aGroup(test.accountId, change), subscriptions: null, isAutoAssigned: false };
  const saved = await test.temp.store.checkGroups.add(write);
  assert.ok('saved' in saved);
  return saved.saved.group.id;
}

async function changeGroup(test: PathUnderTest, id: number, change: Partial<CheckGroup>): Promise<void> {
  await test.temp.store.checkGroups.change(test.accountId, id, ({ group }) => ({
    group: { ...group, ...change },
    subscriptions: null,
    isAutoAssigned: false,
  }));
}

test('a daily check runs at once when it is created, and its schedule does not move', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { id } = await test.add(daily);
  const dueAt = test.dueAt();
  assert.equal(test.one('SELECT count(*) FROM first_runs'), 1, 'it is asked for with the check: no crash can lose it');
  test.temp.clock.advance(-2 * 86_400_000);
  assert.deepEqual(await started(test), [`${id} local`], 'also when the clock is set back');
  test.temp.clock.advance(2 * 86_400_000);
  assert.deepEqual(await started(test), [], 'once');
  assert.equal(test.dueAt(), dueAt);
  assert.deepEqual(test.rows('SELECT outcome, interval_ms, slots FROM results'), [
    { outcome: 0, interval_ms: null, slots: 1 },
  ]);
  assert.equal(test.one('SELECT used FROM usage'), 1, 'it counts toward the execution limit');
  assert.equal(test.difference(), 0);
});

test('another target and a new activation run at once; other edits do not', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { id } = await test.add({ ...daily, settings: settingsOf('https://one.example/') });
  await started(test);
  await test.edit(id, { name: 'Shop 2', settings: { ...settingsOf('https://one.example/'), maxResponseTime: 100 } });
  assert.deepEqual(await started(test), []);
  await test.edit(id, { settings: settingsOf('https://two.example/') });
  assert.deepEqual(await started(test), [`${id} local`]);
  await test.edit(id, { activated: false });
  await test.edit(id, { settings: settingsOf('https://three.example/') });
  assert.deepEqual(await started(test), [], 'it is deactivated');
  await test.edit(id, { activated: true });
  assert.deepEqual(await started(test), [`${id} local`]);
  await test.edit(id, { activated: false });
  await test.edit(id, { activated: true });
  await test.edit(id, { activated: false });
  assert.deepEqual(await started(test), [], 'what was asked for ends with the schedule');
});

test('checks of a group run at once when it is activated, and those that use its URL when that changes', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const groupId = await addGroup(test, { activated: false });
  const of = { ...daily, groupId };
  const based = await test.add({ ...of, settings: settingsOf('{{GROUP_BASE_URL}}/cart') });
  const fixed = await test.add({ ...of, settings: settingsOf('https://one.example/') });
  assert.deepEqual(await started(test), []);
  await changeGroup(test, groupId, { activated: true });
  test.temp.clock.advance(20);
  assert.deepEqual((await started(test)).sort(), [`${based.id} local`, `${fixed.id} local`].sort());
  await changeGroup(test, groupId, { apiCheckDefaults: { url: 'https://two.example' } });
  assert.deepEqual(await started(test), [`${based.id} local`]);
});

test('heartbeats wait for their jobs, and a check in several locations runs in those that it would', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const heartbeat = { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours', pingToken: test.accountId };
  await test.add({ checkType: 'HEARTBEAT', settings: { heartbeat } });
  assert.deepEqual(await started(test), []);
  const { id } = await test.add({ ...daily, locations: ['eu', 'local'], runParallel: true });
  assert.deepEqual(await started(test, ['local', 'eu']), [`${id} eu`, `${id} local`]);
});

onSqlite('the execution limit holds for them', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  test.temp.raw.prepare('UPDATE accounts SET execution_limit = 1').run();
  const { id } = await test.add(daily);
  await test.add(daily);
  test.temp.clock.advance(20);
  assert.deepEqual(await started(test), [`${id} local`]);
  assert.equal(test.one('SELECT count(*) FROM first_runs'), 0, 'it waits for its slot');
});

test('many checks that are created at once are spread, and those of another account do not wait for them', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  for (let count = 0; count < 60; count++) await test.add(daily);
  const other = idBytes('00000000-0000-4000-8000-000000000001');
  test.temp.raw.prepare('INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?)').run(other, 'Other', 0);
  const { id } = await test.add({ ...daily, accountId: idText(other) });
  const pauseMs = await schedulerOf(test)();
  const account = test.rows(`SELECT account_id FROM runs WHERE check_id = (SELECT max(check_id) FROM runs)`);
  assert.equal(account.length, 1);
  const runs = test.rows('SELECT check_id FROM runs').map((run) => idText(run['check_id'] as Uint8Array));
  assert.equal(runs.length, 2);
  assert.ok(runs.includes(id));
  assert.equal(pauseMs, 20, 'the next is due in 20 ms');
  test.temp.clock.advance(2000);
  await schedulerOf(test)();
  assert.equal(test.one('SELECT count(*) FROM runs'), 61, 'fifty a second');
});

test('a paused check does not run at once: the window is recorded', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const channel = await test.add(daily);
  await test.channel(channel.id);
  await test.temp.store.maintenanceWindows.add(test.accountId, {
    name: 'Restart',
    description: null,
    tags: [],
    startsAt: test.now - 1000,
    endsAt: test.now + 60_000,
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAt: null,
    timezone: 'UTC',
    pauseAllChecks: true,
    silenceAllAlerts: false,
    isPublic: false,
    silenceAlertsTags: [],
    checkIds: [],
    groupIds: [],
  });
  await schedulerOf(test)();
  const records = createRecordResults({
    store: test.path,
    clock: test.temp.clock,
    owner: 'one',
    locations: () => ['local'],
    render: rendered,
    statusOf: () => null,
    onRecorded: () => undefined,
    onError: (error) => assert.fail(String(error)),
  });
  const runs = createRunChecks({
    store: test.path,
    clock: test.temp.clock,
    owner: 'one',
    location: 'local',
    locations: () => ['local'],
    probe: () => assert.fail('a paused check sends nothing'),
    record: (attempt) => records.record(attempt),
    startedAt: test.now,
    wake: () => {},
  });
  await runs.tick();
  await runs.stop(5000);
  assert.equal(test.one('SELECT message FROM results'), 'not run: a maintenance window pauses the check');
  assert.equal(test.difference(), 0);
});
