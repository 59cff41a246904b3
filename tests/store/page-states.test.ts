// States of services on pages: locations that fail, maintenance across summer time, and accounts that cannot be built.
import assert from 'node:assert/strict';
import { idBytes } from '#store/base/codec.ts';
import { test } from '../support/store/each-engine.ts';
import { putAccount } from '../support/store/rows.ts';
import { aStatusPage, aStatusService } from '../support/store/status-pages.ts';
import { PagesUnderTest } from './pages-under-test.ts';

test('a service with a threshold of locations is degraded below it, and down once that many locations fail', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { accountId } = path;
  const locations = ['local', 'lima', 'oslo'];
  const { id } = await path.add({ frequency: 1440, locations, runParallel: true });
  const threshold = { of: 'LOCATIONS', count: 2 } as const;
  const strict = await store.statusServices.add(aStatusService(accountId, { checkIds: [id] }));
  const lenient = await store.statusServices.add(aStatusService(accountId, { checkIds: [id], threshold }));
  const page = await pages.pageOf(strict.id, lenient.id);
  const tick = pages.process();
  const parallel = { locations, failingShare: null };
  /** Runs the check in each location at once. */
  const round = async (failing: readonly string[]): Promise<string[]> => {
    path.temp.clock.advance(60_000);
    const newToken = 'a-token-of-this-check';
    const target = { groupId: null, checkId: id };
    const call = { accountId, target, now: path.now, servedLocations: locations, newToken, idempotencyKey: null };
    await store.triggers.start(call);
    for (const location of locations) {
      for (const claimed of await path.claim('one', location)) {
        const attempt = path.ended(claimed, failing.includes(location) ? 'failed' : 'passed');
        await path.record([{ ...attempt, rules: { ...attempt.rules, parallel } }]);
      }
    }
    await tick();
    return (await pages.services(page)).map(({ state }) => state);
  };
  assert.deepEqual(await round([]), ['operational', 'operational']);
  assert.deepEqual(await round(['lima']), ['outage', 'degraded']);
  assert.deepEqual(await round(['lima', 'oslo']), ['outage', 'outage']);
  assert.deepEqual(await round(['oslo']), ['outage', 'degraded']);
  assert.deepEqual(await round([]), ['operational', 'operational']);
});

test('maintenance at an hour of the clock stays there when summer time begins', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore, Date.parse('2027-03-26T12:00:00Z'));
  const { path, store } = pages;
  const checkId = await path.check();
  const service = await store.statusServices.add(aStatusService(path.accountId, { checkIds: [checkId] }));
  const page = await pages.pageOf(service.id);
  await store.maintenanceWindows.add(path.accountId, {
    name: 'Backup',
    description: null,
    tags: [],
    startsAt: Date.parse('2027-03-27T22:00:00+01:00'),
    endsAt: Date.parse('2027-03-27T22:30:00+01:00'),
    repeatInterval: 1,
    repeatUnit: 'DAY',
    repeatEndsAt: Date.parse('2027-03-28T22:30:00+02:00'),
    timezone: 'Europe/Berlin',
    pauseAllChecks: false,
    silenceAllAlerts: false,
    isPublic: true,
    silenceAlertsTags: [],
    checkIds: [checkId],
    groupIds: [],
  });
  const tick = pages.process();
  await path.runAll('passed');
  await tick();
  const { maintenance } = await pages.snapshot(page);
  assert.deepEqual(
    maintenance.map(({ startsAt, endsAt }) => [startsAt, endsAt].map((at) => new Date(at).toISOString())),
    [
      ['2027-03-27T21:00:00.000Z', '2027-03-27T21:30:00.000Z'],
      ['2027-03-28T20:00:00.000Z', '2027-03-28T20:30:00.000Z'],
    ],
  );
  const stateAt = async (time: string) => {
    path.temp.clock.advance(Date.parse(time) - path.now);
    await tick();
    return (await pages.services(page))[0]?.state;
  };
  assert.equal(await stateAt('2027-03-28T20:15:00Z'), 'maintenance');
  assert.notEqual(await stateAt('2027-03-28T21:15:00Z'), 'maintenance');
});

test('an account whose pages cannot be built delays no other, and is tried again after a minute', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { raw } = path.temp;
  const broken = putAccount(raw);
  await store.statusPages.add(aStatusPage(broken), {});
  const own = await pages.pageOf();
  const definition = (text: string) =>
    raw.prepare('UPDATE status_pages SET definition = ? WHERE account_id = ?').run(text, idBytes(broken));
  const [stored] = raw.prepare('SELECT definition FROM status_pages WHERE account_id = ?').all(idBytes(broken));
  definition('{');
  const tick = pages.process();
  await tick();
  assert.equal(pages.failed.length, 1);
  const builtPages = async () => (await store.statusSnapshots.list()).map(({ pageId }) => pageId);
  assert.deepEqual(await builtPages(), [own.id]);
  await store.statusPages.change(path.accountId, own.id, (present) => ({ ...present, name: 'Changed' }), {});
  await tick();
  assert.equal(pages.failed.splice(0).length, 1, 'it leaves its turn to the others');
  assert.equal((await pages.snapshot(own)).page.name, 'Changed');
  definition(String(stored?.['definition']));
  path.temp.clock.advance(60_000);
  await tick();
  assert.deepEqual([pages.failed, (await builtPages()).length], [[], 2]);
});
