// Mutes that last until a check recovers, on both engines.
import assert from 'node:assert/strict';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import type { Outcome } from '#domain/results/result.ts';
import { test } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { PathUnderTest } from './path-under-test.ts';

/** One run of each check, then 10 s pass; returns the types of all deliveries. */
async function run(path: PathUnderTest, outcome: Outcome): Promise<string> {
  await path.schedule();
  let claimed = await path.claim();
  // An edit may move the slots.
  for (let more = 0; claimed.length === 0 && more < 3; more++) {
    path.temp.clock.advance(5000);
    await path.schedule();
    claimed = await path.claim();
  }
  assert.equal(claimed.length, 1);
  const ended = claimed.map((one) => {
    assert.ok(one.context !== null);
    const rules = stateRulesOf(one.context, ['local'], maintenanceOf(one.context, path.now));
    return path.ended(one, outcome, { rules });
  });
  await path.record(ended);
  path.temp.clock.advance(10_000);
  return path
    .rows('SELECT alert_type FROM deliveries ORDER BY created_at, id')
    .map(({ alert_type }) => String(alert_type).replace('ALERT_', ''))
    .join(' ');
}

test('a mute until recovery covers the present or next failure, sends its recovery, and then is over', async (newStore) => {
  await using path = await PathUnderTest.open(newStore);
  const id = await path.check();
  await path.channel(id);
  const isMuted = async () => (await path.temp.store.checks.find(path.accountId, id))?.check.mutedUntilRecovery;
  assert.equal(await run(path, 'passed'), '');
  await path.edit(id, { mutedUntilRecovery: true, mutedFrom: path.now });
  assert.equal(await run(path, 'passed'), '', 'it passes already');
  assert.equal(await run(path, 'failed'), '');
  assert.equal(await isMuted(), true);
  assert.equal(await run(path, 'passed'), '');
  assert.equal(await isMuted(), false);
  assert.equal(await run(path, 'failed'), 'FAILURE', 'the next failure after that');
  await path.edit(id, { mutedUntilRecovery: true, mutedFrom: path.now });
  assert.equal(await run(path, 'failed'), 'FAILURE');
  assert.equal(await run(path, 'passed'), 'FAILURE RECOVERY');
  assert.equal(await run(path, 'failed'), 'FAILURE RECOVERY FAILURE');
});

test('a group that is muted until recovery mutes each of its checks until that has recovered', async (newStore) => {
  await using path = await PathUnderTest.open(newStore);
  const group = aGroup(path.accountId, { mutedUntilRecovery: true, mutedFrom: path.now });
  const saved = await path.temp.store.checkGroups.add({ group, subscriptions: null, isAutoAssigned: false });
  assert.ok('saved' in saved);
  const id = await path.check({ groupId: saved.saved.group.id });
  await path.channel(id);
  assert.equal(await run(path, 'failed'), '');
  assert.equal(await run(path, 'passed'), '');
  assert.equal(await run(path, 'failed'), 'FAILURE');
});
