// Dependencies between checks, on both engines: what is refused, and when alerts are suppressed (docs/decisions/0128).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Outcome } from '#domain/results/result.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import type { OpenedAlert, StateKey } from '#store/path/states/judge-states.ts';
import { it, type NewStore } from '../support/store/each-engine.ts';
import { aCheck, aGroup } from '../support/store/records.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

/** An application that needs a database, with a channel for each; both run every 10 s. */
async function openShop(newStore: NewStore) {
  const test = await PathUnderTest.open(newStore);
  const database = await test.check({ name: 'Database' });
  const app = await test.check({ name: 'App', dependsOn: [database] });
  await test.channel(app);
  return { test, database, app };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** One run of each check, then 10 s pass. */
async function round({ test, database }: Shop, ofDatabase: Outcome, ofApp: Outcome): Promise<void> {
  await test.schedule();
  const ended = (await test.claim()).map((claimed) =>
    test.ended(claimed, claimed.run.checkId === database ? ofDatabase : ofApp),
  );
  await test.record(ended);
  test.temp.clock.advance(10_000);
}

/** Evaluates all states without new results; returns the types of opened alerts. */
async function evaluate(test: PathUnderTest): Promise<readonly string[]> {
  const opened: OpenedAlert[] = [];
  const tick = createJudgeStates<StateKey, OpenedAlert>({
    store: test.path,
    clock: test.temp.clock,
    locations: () => ['local'],
    render: rendered,
    statusOf: () => null,
    onOpened: (one) => opened.push(one),
  });
  while ((await tick()) < 1000);
  return opened.flatMap(({ alertTypes }) => alertTypes);
}

const sent = (test: PathUnderTest): unknown[] =>
  test.rows('SELECT alert_type FROM deliveries ORDER BY id').map(({ alert_type }) => alert_type);

const suppressed = (test: PathUnderTest): unknown[] =>
  test
    .rows('SELECT suppressed_by FROM alerts WHERE suppressed_by IS NOT NULL ORDER BY id')
    .map(({ suppressed_by }) => JSON.parse(String(suppressed_by)));

describe('a check that depends on another one', () => {
  it('records one suppressed alert while the other fails, and sends nothing if both recover', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'passed');
    await round(shop, 'failed', 'passed');
    await round(shop, 'failed', 'failed');
    assert.deepEqual(suppressed(test), [{ checkId: shop.database, name: 'Database' }]);
    const status = await test.temp.store.checkStatuses.find(test.accountId, shop.app);
    assert.deepEqual(
      [status?.status, status?.suppressedBy, status?.incidentId],
      ['failing', { checkId: shop.database, name: 'Database' }, null],
    );
    assert.deepEqual(await evaluate(test), []);
    await round(shop, 'passed', 'failed');
    await round(shop, 'passed', 'passed');
    assert.deepEqual(sent(test), []);
    assert.equal((await test.temp.store.checkStatuses.find(test.accountId, shop.app))?.suppressedBy, null);
  });

  it('is suppressed if both fail in the same batch', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await test.schedule();
    const claimed = await test.claim();
    const databaseFirst = claimed.toSorted((one) => (one.run.checkId === shop.database ? -1 : 1));
    await test.record(databaseFirst.map((each) => test.ended(each, 'failed')));
    assert.deepEqual([sent(test), suppressed(test).length], [[], 1]);
  });

  it('is notified once if it still fails an interval after the other recovered', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'passed');
    await round(shop, 'failed', 'failed');
    await round(shop, 'passed', 'failed');
    assert.deepEqual([sent(test), await evaluate(test)], [[], []]);
    await round(shop, 'passed', 'failed');
    assert.deepEqual(sent(test), ['ALERT_FAILURE']);
    await round(shop, 'passed', 'failed');
    await round(shop, 'passed', 'passed');
    assert.deepEqual(sent(test), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
    assert.equal(suppressed(test).length, 1);
  });

  it('is notified without a new result if the other stops reporting', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'passed');
    await round(shop, 'failed', 'failed');
    assert.deepEqual(await evaluate(test), []);
    await test.edit(shop.database, { activated: false });
    assert.deepEqual(await evaluate(test), ['ALERT_FAILURE']);
    assert.deepEqual(await evaluate(test), []);
    assert.deepEqual(sent(test), ['ALERT_FAILURE']);
  });

  it('is notified if the other is deleted, which removes it from the list', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'passed');
    await round(shop, 'failed', 'failed');
    assert.equal(await test.remove(shop.database), true);
    assert.deepEqual((await test.temp.store.checks.find(test.accountId, shop.app))?.check.dependsOn, []);
    assert.deepEqual(await evaluate(test), ['ALERT_FAILURE']);
  });

  it('is notified as usual while the other is degraded', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'degraded', 'failed');
    assert.deepEqual(sent(test), ['ALERT_FAILURE']);
  });

  it('gets certificate alerts all the same', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await test.temp.store.alertChannels.change(test.accountId, 1, ({ channel }) => ({
      channel: { ...channel, sslExpiry: true },
      subscriptions: null,
    }));
    await round(shop, 'failed', 'passed');
    await test.schedule();
    const certificate = { fingerprint: 'f', validTo: test.now + 86_400_000, subject: 'shop.example', issuer: 'CA' };
    const ended = (await test.claim()).map((claimed) =>
      test.ended(claimed, 'failed', { finding: test.finding('failed', { certificate } as object) }),
    );
    await test.record(ended);
    assert.deepEqual(sent(test).filter((type) => type === 'ALERT_FAILURE').length, 0);
    assert.ok(sent(test).includes('ALERT_SSL'));
  });
});

describe('dependencies of a group', () => {
  it('hold for its checks, except those that it names', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkGroups } = test.temp.store;
    const group = aGroup(test.accountId);
    const saved = await checkGroups.add({ group, subscriptions: null, isAutoAssigned: false });
    assert.ok('saved' in saved);
    const { id: groupId } = saved.saved.group;
    const database = await test.check({ name: 'Database', groupId });
    const app = await test.check({ name: 'App', groupId });
    await checkGroups.change(test.accountId, groupId, (present) => ({
      ...present,
      group: { ...present.group, dependsOn: [database] },
      isAutoAssigned: false,
    }));
    await test.channel(app);
    await test.channel(database);
    const shop = { test, database, app };
    await round(shop, 'failed', 'passed');
    assert.deepEqual(sent(test), ['ALERT_FAILURE'], 'the database itself is notified');
    await round(shop, 'failed', 'failed');
    assert.deepEqual([sent(test), suppressed(test).length], [['ALERT_FAILURE'], 1]);
  });
});

describe('dependencies that cannot hold', () => {
  it('are refused with the place of an unknown check', async (newStore) => {
    const { test, database } = await openShop(newStore);
    await using _ = test;
    const other = await test.temp.store.checks.add({
      check: aCheck(test.accountId, { dependsOn: [database, '00000000-0000-4000-8000-000000000000'] }),
      subscriptions: null,
      isAutoAssigned: false,
    });
    assert.deepEqual(other, { dangling: 'dependsOn[1]' });
  });

  it('are refused as a cycle with the names along it, also through a group', async (newStore) => {
    const { test, database, app } = await openShop(newStore);
    await using _ = test;
    const { checks, checkGroups } = test.temp.store;
    const change = (id: string, dependsOn: readonly string[], groupId: number | null = null) =>
      checks.change(test.accountId, id, ({ check }) => ({
        check: { ...check, dependsOn, groupId },
        subscriptions: null,
        isAutoAssigned: false,
      }));
    assert.deepEqual(await change(database, [app]), { cycle: ['Database', 'App', 'Database'] });
    const group = aGroup(test.accountId, { dependsOn: [app] });
    const saved = await checkGroups.add({ group, subscriptions: null, isAutoAssigned: false });
    assert.ok(saved !== null && 'saved' in saved);
    const { id: groupId } = saved.saved.group;
    assert.deepEqual(await change(database, [], groupId), { cycle: ['Database', 'App', 'Database'] });
    const emptied = await checkGroups.change(test.accountId, groupId, (present) => ({
      ...present,
      group: { ...present.group, dependsOn: [] },
      isAutoAssigned: false,
    }));
    assert.ok(emptied !== null && 'saved' in emptied);
    const moved = await change(database, [], groupId);
    assert.ok(moved !== null && 'saved' in moved);
    const refused = await checkGroups.change(test.accountId, groupId, (present) => ({
      ...present,
      group: { ...present.group, dependsOn: [app] },
      isAutoAssigned: false,
    }));
    assert.deepEqual(refused, { cycle: ['App', 'Database'] });
  });
});
