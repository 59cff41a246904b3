// Who would be notified if a check failed now, on both engines: the answer is what then happens.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import { createCheckAlertingActions } from '#actions/alerts/check-alerting.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import { idBytes } from '#store/base/codec.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { PathUnderTest } from './path-under-test.ts';

/** Asks as a person of the account. */
function ask({ accountId, temp: { store, clock } }: PathUnderTest, checkId: string) {
  const caller: Caller = {
    accountId,
    accountIds: [accountId],
    principal: { kind: 'api-key', id: 'k' },
    role: 'read-only',
  };
  return createCheckAlertingActions({ ...store, clock }).find(caller, checkId);
}

async function addGroup({ accountId, temp: { store } }: PathUnderTest, change: Partial<CheckGroup>): Promise<number> {
  const group = { ...aGroup(accountId), ...change };
  const added = await store.checkGroups.add({ group, subscriptions: [], isAutoAssigned: false });
  assert.ok('saved' in added);
  return added.saved.group.id;
}

/** A channel of a group. */
async function groupChannel(test: PathUnderTest, groupId: number, change: Partial<AlertChannel> = {}): Promise<number> {
  const id = await test.channel(null, change);
  await test.temp.store.alertChannels.subscribe(test.accountId, id, { checkId: null, groupId, activated: true });
  return id;
}

/** Lets these checks run once with the rules of their settings, and fail. */
async function fail(test: PathUnderTest, only?: string): Promise<void> {
  await test.schedule();
  const claimed = (await test.claim()).filter(({ run }) => only === undefined || run.checkId === only);
  await test.record(
    claimed.map((one) => {
      const { context } = one;
      assert.ok(context !== null);
      return test.ended(one, 'failed', { rules: stateRulesOf(context, ['local'], maintenanceOf(context, test.now)) });
    }),
  );
}

/** IDs of the channels that have a delivery about a failure. */
const notified = (test: PathUnderTest): unknown[] =>
  test
    .rows(`SELECT alert_channel_id AS id FROM deliveries WHERE alert_type = 'ALERT_FAILURE' ORDER BY alert_channel_id`)
    .map(({ id }) => Number(id));

describe('who would be notified if a check failed', () => {
  onSqlite('are the channels of the check and its group that want failures, and they are then', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const groupId = await addGroup(test, {});
    const check = await test.check({ groupId });
    const own = await test.channel(check);
    const quiet = await test.channel(check, { sendFailure: false });
    const silent = await test.channel(check, { sendRecovery: false });
    const shared = await groupChannel(test, groupId);
    await test.temp.store.alertChannels.subscribe(test.accountId, shared, {
      checkId: check,
      groupId: null,
      activated: true,
    });
    const off = await test.channel(null);
    await test.temp.store.alertChannels.subscribe(test.accountId, off, {
      checkId: check,
      groupId: null,
      activated: false,
    });
    const { channels, heldBack } = await ask(test, check);
    assert.deepEqual(
      channels.map(({ alertChannelId, alertTypes, isOfCheck, isOfGroup }) => [
        alertChannelId,
        alertTypes,
        isOfCheck,
        isOfGroup,
      ]),
      [
        [own, ['ALERT_FAILURE', 'ALERT_RECOVERY'], true, false],
        [quiet, ['ALERT_RECOVERY'], true, false],
        [silent, ['ALERT_FAILURE'], true, false],
        [shared, ['ALERT_FAILURE', 'ALERT_RECOVERY'], true, true],
      ],
    );
    assert.deepEqual(heldBack, []);
    await fail(test);
    assert.deepEqual(notified(test), [own, silent, shared]);
  });

  onSqlite('are channels that wait for the alert that is open, with the time until which they do', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const check = await test.check();
    const later = await test.channel(null);
    const subscription = { checkId: check, groupId: null, activated: true, escalationMinutes: 10 };
    await test.temp.store.alertChannels.subscribe(test.accountId, later, subscription);
    const shown = async () => {
      const [{ alertTypes, escalationMinutes, escalatesAt } = assert.fail('no channel')] = (await ask(test, check))
        .channels;
      return [alertTypes, escalationMinutes, escalatesAt];
    };
    assert.deepEqual(await shown(), [['ALERT_FAILURE', 'ALERT_RECOVERY'], 10, null]);
    await fail(test);
    assert.deepEqual(await shown(), [['ALERT_FAILURE', 'ALERT_RECOVERY'], 10, test.now + 600_000]);
  });

  it('is nobody while a mute, a window or a pause holds alerts back, with its end', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const until = test.now + 3_600_000;
    const groupId = await addGroup(test, { mutedUntil: until });
    const check = await test.check({ groupId, muted: true });
    await test.channel(check);
    await test.temp.store.maintenanceWindows.add(test.accountId, {
      name: 'Upgrade',
      tags: [],
      startsAt: test.now - 1000,
      endsAt: test.now + 60_000,
      repeatInterval: null,
      repeatUnit: null,
      repeatEndsAt: null,
      timezone: 'UTC',
      pauseAllChecks: false,
      silenceAllAlerts: true,
      isPublic: false,
      silenceAlertsTags: [],
      checkIds: [],
      groupIds: [],
      description: null,
    });
    const none = { name: null, checkId: null };
    assert.deepEqual((await ask(test, check)).heldBack, [
      { ...none, reason: 'muted', by: 'check', until: null },
      { ...none, reason: 'muted', by: 'group', until },
      { ...none, reason: 'maintenance', by: 'window', name: 'Upgrade', until: test.now + 60_000 },
    ]);
    await fail(test);
    assert.deepEqual(notified(test), []);
    await test.edit(check, { muted: false, activated: false });
    assert.deepEqual((await ask(test, check)).heldBack[0], { ...none, reason: 'paused', by: 'check', until: null });
  });

  it('is nobody while a dependency fails, which lists what needs it', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const database = await test.check({ name: 'Database' });
    const app = await test.check({ name: 'App', dependsOn: [database] });
    const groupId = await addGroup(test, { name: 'Shop', dependsOn: [database] });
    const cart = await test.check({ name: 'Cart', groupId });
    const [ofDatabase] = [await test.channel(database), await test.channel(app), await test.channel(cart)];
    const { neededBy, needs } = await ask(test, database);
    assert.deepEqual(neededBy, {
      checks: [{ checkId: app, name: 'App' }],
      groups: [{ groupId, name: 'Shop' }],
    });
    assert.deepEqual(needs, []);
    assert.deepEqual((await ask(test, app)).heldBack, []);
    await fail(test, database);
    for (const id of [app, cart]) {
      const found = await ask(test, id);
      assert.deepEqual(found.needs, [{ checkId: database, name: 'Database', status: 'failing' }]);
      assert.deepEqual(found.heldBack, [
        { reason: 'dependency', by: 'dependency', name: 'Database', checkId: database, until: null },
      ]);
    }
    test.temp.clock.advance(10_000);
    await fail(test);
    assert.deepEqual(notified(test), [ofDatabase]);
    await test.remove(app);
    assert.deepEqual((await ask(test, database)).neededBy.checks, []);
  });

  onSqlite('lists at most 200 of the checks that depend on a check', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const database = await test.check({ name: 'Database' });
    const app = await test.check({ name: 'App', dependsOn: [database] });
    const copy = test.temp.raw.prepare(
      `INSERT INTO checks (account_id, id, check_type, name, activated, muted, group_id, tags, definition, created_at)
       SELECT account_id, ?, check_type, name, activated, muted, group_id, tags, definition, created_at
       FROM checks WHERE id = ?`,
    );
    for (let copies = 0; copies < 200; copies++) copy.run(idBytes(randomUUID()), idBytes(app));
    assert.equal((await ask(test, database)).neededBy.checks.length, 200);
  });

  it('depends on settings of the check, the group or the account, and on active hours', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const runs = (failedRunThreshold: number) => ({
      escalationType: 'RUN_BASED' as const,
      runBasedEscalation: { failedRunThreshold },
    });
    const groupId = await addGroup(test, { useGlobalAlertSettings: false, alertSettings: runs(2) });
    const [alone, member] = [await test.check(), await test.check({ groupId })];
    const at = new Date(test.now);
    const day = (['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const)[(at.getUTCDay() + 1) % 7];
    const tomorrow = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1, 8);
    const hours = { timeZone: 'UTC', periods: [{ days: [day ?? 'MON'], from: '08:00', to: '18:00' }] };
    const other = await test.channel(alone);
    const waiting = { ...hours, outside: 'WAIT' as const, otherChannelId: null };
    const redirected = { ...hours, outside: 'OTHER_CHANNEL' as const, otherChannelId: other };
    await test.channel(alone, { activeHours: waiting });
    await test.channel(alone, { activeHours: redirected });
    const found = await ask(test, alone);
    assert.deepEqual(
      found.channels.map(({ activeFrom, insteadChannelId }) => [activeFrom, insteadChannelId]),
      [
        [null, null],
        [tomorrow, null],
        [tomorrow, other],
      ],
    );
    assert.deepEqual([found.source, found.escalationSource], ['default', 'default']);
    await test.temp.store.accounts.change(test.accountId, { alertSettings: runs(3) });
    assert.equal((await ask(test, alone)).source, 'account');
    const { settings, source } = await ask(test, member);
    assert.deepEqual([settings, source], [runs(2), 'group']);
    await assert.rejects(ask(test, randomUUID()), /not found/);
  });
});
