// Dependencies between checks, on both engines: what is refused, and when alerts are suppressed (docs/decisions/0128).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Suppressor } from '#domain/alerts/suppression.ts';
import type { Check } from '#domain/checks/check.ts';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import type { Outcome } from '#domain/results/result.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import type { ClaimedRun } from '#store/path/path.ts';
import type { OpenedAlert, StateKey } from '#store/path/states/judge-states.ts';
import { it, type NewStore, onSqlite } from '../support/store/each-engine.ts';
import { aCheck, aGroup } from '../support/store/records.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

/** An application that needs a database, with a channel for each; both run every 10 s. */
async function openShop(newStore: NewStore, ofDatabase: Partial<Check> = {}) {
  const test = await PathUnderTest.open(newStore);
  return addShop(test, ofDatabase);
}

async function addShop(test: PathUnderTest, ofDatabase: Partial<Check>, hasChannel = true) {
  const database = await test.check({ name: 'Database', ...ofDatabase });
  const app = await test.check({ name: 'App', dependsOn: [database] });
  await test.channel(app);
  if (hasChannel) await test.channel(database);
  return { test, database, app };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** One run of each check with the rules of the present settings, the database first; then 10 s pass. */
async function round({ test, database }: Shop, ofDatabase: Outcome, ofApp: Outcome): Promise<void> {
  await test.schedule();
  const claimed = await test.claim();
  const isDatabase = (one: ClaimedRun): boolean => one.run.checkId === database;
  const ended = claimed
    .toSorted((one, other) => Number(isDatabase(other)) - Number(isDatabase(one)))
    .map((one) => {
      const { context } = one;
      assert.ok(context !== null);
      const rules = stateRulesOf(context, ['local'], maintenanceOf(context, test.now));
      return test.ended(one, isDatabase(one) ? ofDatabase : ofApp, { rules });
    });
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
  return opened.map(({ context, alertTypes }) => `${context.check.name} ${alertTypes.join()}`);
}

/** Deliveries as `check type`, in order. */
const sent = (test: PathUnderTest): unknown[] =>
  test
    .rows(
      `SELECT c.name || ' ' || d.alert_type AS what FROM deliveries d
       JOIN checks c ON c.account_id = d.account_id AND c.id = d.check_id ORDER BY d.created_at, d.id`,
    )
    .map(({ what }) => what);

/** Those of the dependent check. */
const sentOfApp = (test: PathUnderTest): unknown[] => sent(test).filter((what) => String(what).startsWith('App '));

const suppressed = (test: PathUnderTest): unknown[] =>
  test
    .rows('SELECT suppressed_by FROM alerts WHERE suppressed_by IS NOT NULL ORDER BY id')
    .map(({ suppressed_by }) => (JSON.parse(String(suppressed_by)) as Suppressor).name);

/** What suppresses the alert of the application, as it is shown. */
const shown = async ({ test, app }: Shop) =>
  (await test.temp.store.checkStatuses.find(test.accountId, app))?.suppressedBy ?? null;

/** Ends an attempt of each due delivery. */
async function settle(test: PathUnderTest, status: number): Promise<void> {
  for (const one of await test.claimDeliveries()) await test.settle(one, status);
}

const alertAfter = (runs: number): Partial<Check> => ({
  useGlobalAlertSettings: false,
  alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: runs } },
});

describe('a check that depends on another one', () => {
  onSqlite(
    'records one suppressed alert while the other fails, and sends nothing if both recover',
    async (newStore) => {
      const shop = await openShop(newStore);
      await using test = shop.test;
      await round(shop, 'failed', 'passed');
      await round(shop, 'failed', 'passed');
      const since = test.now;
      await round(shop, 'failed', 'failed');
      assert.deepEqual(suppressed(test), ['Database']);
      const by = { checkId: shop.database, name: 'Database', since };
      const status = await test.temp.store.checkStatuses.find(test.accountId, shop.app);
      assert.deepEqual(
        [status?.status, status?.suppressedBy, status?.incidentId],
        ['failing', { ...by, until: null }, null],
      );
      assert.deepEqual(await evaluate(test), []);
      const recoveredAt = test.now;
      await round(shop, 'passed', 'failed');
      assert.deepEqual(await shown(shop), { ...by, until: recoveredAt + 300_000 }, 'its run began before');
      await round(shop, 'passed', 'passed');
      assert.deepEqual(sentOfApp(test), []);
      assert.equal(await shown(shop), null);
    },
  );

  it('is suppressed if both fail in the same batch', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'failed');
    assert.deepEqual([sent(test), suppressed(test)], [['Database ALERT_FAILURE'], ['Database']]);
  });

  onSqlite('is notified once if it still fails an interval after the other recovered', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'passed');
    await round(shop, 'failed', 'failed');
    await round(shop, 'passed', 'failed');
    assert.deepEqual([sentOfApp(test), await evaluate(test)], [[], []], 'its last run began before the recovery');
    await round(shop, 'passed', 'failed');
    assert.deepEqual(sentOfApp(test), ['App ALERT_FAILURE']);
    await round(shop, 'passed', 'failed');
    await round(shop, 'passed', 'passed');
    assert.deepEqual(sentOfApp(test), ['App ALERT_FAILURE', 'App ALERT_RECOVERY']);
    assert.equal(suppressed(test).length, 1);
  });

  it('that runs once a day is notified five minutes after the recovery, whatever flaps meanwhile', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'failed');
    await test.edit(shop.app, { frequency: 1440, frequencyOffset: null });
    assert.equal((await shown(shop))?.name, 'Database');
    for (let passed = 0; passed < 240_000; passed += 20_000) {
      await round(shop, 'passed', 'failed');
      await round(shop, 'failed', 'failed');
    }
    assert.deepEqual([await evaluate(test), sentOfApp(test)], [[], []]);
    await round(shop, 'passed', 'failed');
    test.temp.clock.advance(60_000);
    assert.deepEqual(await evaluate(test), ['App ALERT_FAILURE']);
  });

  onSqlite('is notified without a new result if the other stops reporting', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'failed');
    assert.deepEqual(await evaluate(test), []);
    await test.edit(shop.database, { activated: false });
    assert.deepEqual([await evaluate(test), await evaluate(test)], [['App ALERT_FAILURE'], []]);
  });

  it('is notified if the other is deleted, which removes it from the list', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'failed');
    assert.equal(await test.remove(shop.database), true);
    assert.deepEqual((await test.temp.store.checks.find(test.accountId, shop.app))?.check.dependsOn, []);
    assert.deepEqual(await evaluate(test), ['App ALERT_FAILURE']);
  });

  onSqlite('is notified as usual while the other notifies no channel', async (newStore) => {
    const cases: readonly [what: string, change: Partial<Check>, hasChannel: boolean, outcomes: readonly Outcome[]][] =
      [
        ['degraded', {}, true, ['degraded']],
        ['muted', { muted: true }, true, ['failed']],
        ['muted until an instant', { mutedUntil: Number.MAX_SAFE_INTEGER }, true, ['failed']],
        ['without a channel', {}, false, ['failed']],
        ['passing after one blip', alertAfter(2), true, ['failed', 'passed']],
        ['flapping below its threshold', alertAfter(2), true, ['failed', 'passed', 'failed', 'passed']],
      ];
    await using test = await PathUnderTest.open(newStore);
    for (const [what, change, hasChannel, outcomes] of cases) {
      const shop = await addShop(test, change, hasChannel);
      for (const outcome of outcomes.slice(0, -1)) await round(shop, outcome, 'passed');
      await round(shop, outcomes.at(-1) ?? 'passed', 'failed');
      assert.deepEqual([sentOfApp(test), sent(test).length - sentOfApp(test).length], [['App ALERT_FAILURE'], 0], what);
      for (const id of [shop.app, shop.database]) await test.remove(id);
    }
  });

  it('waits for the escalation of the other, at most until that is due', async (newStore) => {
    const shop = await openShop(newStore, alertAfter(3));
    await using test = shop.test;
    const failedAt = test.now;
    await round(shop, 'failed', 'failed');
    assert.equal((await shown(shop))?.until, failedAt + 30_000);
    await round(shop, 'failed', 'failed');
    await round(shop, 'failed', 'failed');
    assert.deepEqual(sent(test), ['Database ALERT_FAILURE'], 'in time');
    assert.equal((await shown(shop))?.until, null);

    for (const id of [shop.app, shop.database]) await test.remove(id);
    const late = await addShop(test, alertAfter(3));
    await round(late, 'failed', 'failed');
    await round(late, 'unknown', 'failed');
    assert.deepEqual(sent(test), []);
    test.temp.clock.advance(10_000);
    assert.deepEqual(await evaluate(test), ['App ALERT_FAILURE']);
  });

  it('is notified once every delivery about the other has ended without arriving', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await test.channel(shop.database);
    await round(shop, 'failed', 'failed');
    const [first, second] = (await test.claimDeliveries()).toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1));
    assert.ok(first !== undefined && second !== undefined);
    const refused = { error: { class: 'egress-refused', message: 'private' }, response: null } as const;
    await test.settle(first, 200, 'one', refused);
    assert.deepEqual(await evaluate(test), [], 'the other delivery is pending');
    await test.settle(second, 200, 'one', refused);
    assert.deepEqual(await evaluate(test), ['App ALERT_FAILURE']);
  });

  it('stays suppressed while one delivery about the other has arrived, also after a restart', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'failed');
    await settle(test, 200);
    await round(shop, 'failed', 'failed');
    await test.path.takeOver(test.now);
    assert.deepEqual([await evaluate(test), sent(test)], [[], ['Database ALERT_FAILURE']]);
  });

  onSqlite('is notified while the message about the other waits for hours', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    await round(shop, 'failed', 'failed');
    test.temp.raw.prepare('UPDATE deliveries SET next_attempt_at = ?').run(test.now + 3_600_000);
    assert.deepEqual(await evaluate(test), ['App ALERT_FAILURE']);
  });

  it('is suppressed by what the other needs, and by one of many', async (newStore) => {
    const shop = await openShop(newStore);
    await using test = shop.test;
    // The page needs the application, which has no channel, and something that passes.
    await test.temp.store.alertChannels.remove(test.accountId, 1);
    const calm = await test.check({ name: 'Calm' });
    const page = await test.check({ name: 'Page', dependsOn: [calm, shop.app] });
    await test.channel(page);
    await test.schedule();
    const order = [shop.database, shop.app, page, calm];
    const claimed = (await test.claim()).toSorted(
      (a, b) => order.indexOf(a.run.checkId) - order.indexOf(b.run.checkId),
    );
    await test.record(claimed.map((each) => test.ended(each, each.run.checkId === calm ? 'passed' : 'failed')));
    assert.deepEqual([sent(test), suppressed(test)], [['Database ALERT_FAILURE'], ['Database', 'Database']]);
    assert.deepEqual(await evaluate(test), []);
  });

  onSqlite('gets certificate alerts all the same', async (newStore) => {
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
    assert.deepEqual(sentOfApp(test), ['App ALERT_SSL']);
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
    assert.deepEqual(sent(test), ['Database ALERT_FAILURE'], 'the database itself is notified');
    await round(shop, 'failed', 'failed');
    assert.deepEqual([sent(test), suppressed(test)], [['Database ALERT_FAILURE'], ['Database']]);
  });
});

describe('dependencies that cannot hold', () => {
  onSqlite('are refused with the place of an unknown check', async (newStore) => {
    const { test, database } = await openShop(newStore);
    await using _ = test;
    const other = await test.temp.store.checks.add({
      check: aCheck(test.accountId, { dependsOn: [database, '00000000-0000-4000-8000-000000000000'] }),
      subscriptions: null,
      isAutoAssigned: false,
    });
    assert.deepEqual(other, { dangling: 'dependsOn[1]' });
  });

  onSqlite('are refused as a cycle with the names along it, also through a group', async (newStore) => {
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
