// Mutes that last until a check recovers, on both engines.
import assert from 'node:assert/strict';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import type { Outcome } from '#domain/results/result.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { PathUnderTest } from './path-under-test.ts';

const run = (path: PathUnderTest, outcome: Outcome): Promise<string> => runAll(path, () => outcome);

/** One run of each active check, then 10 s pass; returns the types of all deliveries. */
async function runAll(path: PathUnderTest, outcomeOf: (checkId: string) => Outcome): Promise<string> {
  await path.schedule();
  let claimed = await path.claim();
  // An edit may move the slots, and runs that are caught up on are spread over an interval.
  for (let more = 0; claimed.length === 0 && more < 8; more++) {
    path.temp.clock.advance(5000);
    await path.schedule();
    claimed = await path.claim();
  }
  assert.ok(claimed.length > 0);
  const ended = claimed.map((one) => {
    assert.ok(one.context !== null);
    const rules = stateRulesOf(one.context, ['local'], maintenanceOf(one.context, path.now));
    return path.ended(one, outcomeOf(one.run.checkId), { rules });
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

test('a group is muted until each of its checks has recovered, at most until one has and none fails', async (newStore) => {
  await using path = await PathUnderTest.open(newStore);
  const { checkGroups } = path.temp.store;
  const group = aGroup(path.accountId, { mutedUntilRecovery: true, mutedFrom: path.now });
  const saved = await checkGroups.add({ group, subscriptions: null, isAutoAssigned: false });
  assert.ok('saved' in saved);
  const groupId = saved.saved.group.id;
  const isMuted = async () => {
    await checkGroups.endMutes();
    return (await checkGroups.find(path.accountId, groupId))?.group.mutedUntilRecovery;
  };
  const [id, other, paused] = [
    await path.check({ groupId }),
    await path.check({ groupId }),
    await path.check({ groupId }),
  ];
  for (const each of [id, other]) await path.channel(each);
  const outcomes = (now: Readonly<Record<string, Outcome>>) => runAll(path, (checkId) => now[checkId] ?? 'passed');
  assert.equal(await outcomes({}), '');
  assert.equal(await isMuted(), true, 'all pass');
  assert.equal(await outcomes({ [id]: 'failed', [paused]: 'failed' }), '');
  await path.edit(paused, { activated: false });
  assert.equal(await isMuted(), true, 'one fails');
  assert.equal(await outcomes({ [other]: 'failed' }), '');
  assert.equal(await isMuted(), true, 'another one fails');
  assert.equal(await outcomes({ [id]: 'failed', [other]: 'failed' }), 'FAILURE', 'the first has recovered before');
  assert.equal(await outcomes({}), 'FAILURE RECOVERY');
  assert.equal(await isMuted(), false, 'none fails but one that is paused');
  assert.equal(await outcomes({ [other]: 'failed' }), 'FAILURE RECOVERY FAILURE');
});

onSqlite('the mute of a group that has recovered ends for checks that never failed', async (newStore) => {
  await using path = await PathUnderTest.open(newStore);
  const { checkGroups } = path.temp.store;
  const group = aGroup(path.accountId, { mutedUntilRecovery: true, mutedFrom: path.now });
  const saved = await checkGroups.add({ group, subscriptions: null, isAutoAssigned: false });
  assert.ok('saved' in saved);
  const groupId = saved.saved.group.id;
  const [id, calm] = [await path.check({ groupId }), await path.check({ groupId })];
  await path.channel(calm);
  const outcomes = (now: Readonly<Record<string, Outcome>>) => runAll(path, (checkId) => now[checkId] ?? 'passed');
  await outcomes({ [id]: 'failed' });
  await outcomes({});
  await checkGroups.endMutes();
  assert.equal(await outcomes({ [calm]: 'failed' }), 'FAILURE');
});
