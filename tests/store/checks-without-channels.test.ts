// Checks whose failures notify no channel, by the check, its group and the channel's alert types.
import assert from 'node:assert/strict';
import type { ChannelToSubscribe } from '#domain/alerts/alert-channel.ts';
import { newId } from '#lib/id.ts';
import { test } from '../support/store/each-engine.ts';
import { aCheck, aGroup } from '../support/store/records.ts';
import { putAccount, putChannel } from '../support/store/rows.ts';

test('a check notifies nobody unless a channel that sends failures is subscribed to it or its group', async (newStore) => {
  await using temp = await newStore();
  const { checks, checkGroups, checksWithoutChannels } = temp.store;
  const account = putAccount(temp.raw);
  const foreign = putAccount(temp.raw);
  assert.equal(await checksWithoutChannels.ofAccount(account), null);
  const [channel, quiet] = [1, 2];
  for (const id of [channel, quiet]) putChannel(temp.raw, account, id);
  temp.raw.prepare('UPDATE alert_channels SET send_failure = 0 WHERE id = 2').run();
  putChannel(temp.raw, foreign, channel);
  const to = (alertChannelId: number, activated = true): ChannelToSubscribe[] => [{ alertChannelId, activated }];
  const groupWith = async (subscriptions: ChannelToSubscribe[], more: object = {}) => {
    const saved = await checkGroups.add({ group: aGroup(account, more), subscriptions, isAutoAssigned: false });
    assert.ok('saved' in saved);
    return saved.saved.group.id;
  };
  const notifyingGroup = await groupWith(to(channel));
  const silentGroup = await groupWith(to(quiet));
  const mutedGroup = await groupWith([], { muted: true });
  const expected: Record<string, boolean> = {};
  const add = async (name: string, isSilent: boolean, subscriptions: ChannelToSubscribe[], more: object = {}) => {
    const check = aCheck(account, { id: newId(), name, ...more });
    const saved = await checks.add({ check, subscriptions, isAutoAssigned: false });
    assert.ok('saved' in saved, name);
    assert.equal(saved.saved.notifiesNobody, isSilent, name);
    assert.equal((await checks.find(account, check.id))?.notifiesNobody, isSilent, name);
    expected[name] = isSilent;
    return check.id;
  };
  await add('own channel', false, to(channel));
  await add('channel of the group', false, [], { groupId: notifyingGroup });
  const alone = await add('alone', true, []);
  await add('subscription switched off', true, to(channel, false));
  await add('channel without failures', true, to(quiet));
  await add('group without failures', true, [], { groupId: silentGroup });
  await add('both', false, [...to(quiet), ...to(channel)], { groupId: silentGroup });
  await add('muted', true, [], { muted: true });
  await add('muted group', true, [], { groupId: mutedGroup });
  await add('deactivated', true, [], { activated: false });

  const { rows } = await checks.list(account, {}, { limit: 100, offset: 0 });
  assert.deepEqual(Object.fromEntries(rows.map(({ check, notifiesNobody }) => [check.name, notifiesNobody])), expected);
  const withoutChannel = await checksWithoutChannels.ofAccount(account);
  assert.equal(withoutChannel?.checks, 4);
  assert.deepEqual(withoutChannel.among.toSorted(), [
    'alone',
    'channel without failures',
    'group without failures',
    'subscription switched off',
  ]);
  assert.equal(await checksWithoutChannels.ofAccount(foreign), null);
  await checks.change(account, alone, ({ check }) => ({ check, subscriptions: to(channel), isAutoAssigned: false }));
  assert.equal((await checksWithoutChannels.ofAccount(account))?.checks, 3);
});

test('a subscribed channel whose alerts are all switched off is found until one is switched on', async (newStore) => {
  await using temp = await newStore();
  const { alertChannels, checks, checksWithoutChannels } = temp.store;
  const account = putAccount(temp.raw);
  const foreign = putAccount(temp.raw);
  const ids = [1, 2, 3];
  for (const id of ids) putChannel(temp.raw, account, id);
  putChannel(temp.raw, foreign, 1);
  temp.raw
    .prepare('UPDATE alert_channels SET send_failure = 0, send_recovery = 0, send_degraded = 0, ssl_expiry = 0')
    .run();
  assert.equal(await checksWithoutChannels.switchedOff(account), null, 'nothing is subscribed');
  const subscriptions = ids.map((alertChannelId) => ({ alertChannelId, activated: alertChannelId !== 3 }));
  const saved = await checks.add({ check: aCheck(account), subscriptions, isAutoAssigned: false });
  assert.ok('saved' in saved);
  assert.deepEqual((await checksWithoutChannels.switchedOff(account))?.channels, 2);
  for (const column of ['send_recovery', 'ssl_expiry']) {
    temp.raw.prepare(`UPDATE alert_channels SET ${column} = 1 WHERE id = 1`).run();
    assert.equal((await checksWithoutChannels.switchedOff(account))?.channels, 1, column);
    temp.raw.prepare(`UPDATE alert_channels SET ${column} = 0 WHERE id = 1`).run();
  }
  await alertChannels.change(account, 2, ({ channel, subscriptions }) => ({
    channel: { ...channel, sendFailure: true },
    subscriptions,
  }));
  const found = await checksWithoutChannels.switchedOff(account);
  assert.deepEqual([found?.channels, found?.among.length], [1, 1]);
  assert.equal(await checksWithoutChannels.switchedOff(foreign), null);
});
