// What is asked of the store beside path and API: figures for metrics, channels that fail, and the stages of runtimes.
import assert from 'node:assert/strict';
import { newId } from '#lib/id.ts';
import { test } from '../support/store/each-engine.ts';
import { failing, leaseMs, PathUnderTest } from './path-under-test.ts';

test('the figures of an installation are those of its rows', async (newStore) => {
  await using path = await PathUnderTest.open(newStore);
  const { store, raw } = path.temp;
  assert.deepEqual(await store.figures.outbox(path.now), { pending: 0, waitingSince: null });
  const checkId = await path.check();
  const channel = await path.channel(checkId);
  await path.runAll('failed');
  assert.deepEqual(await store.figures.outbox(path.now), { pending: 1, waitingSince: path.now });
  assert.deepEqual(await store.figures.outbox(path.now - 1), { pending: 1, waitingSince: null });
  const settings = { heartbeat: { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'hours', pingToken: newId() } };
  await path.add({ checkType: 'HEARTBEAT', settings });
  assert.equal(await store.figures.heartbeatDueAt(path.now), null);
  raw.exec(`UPDATE heartbeats SET due_at = ${path.now - 5}`);
  assert.deepEqual(
    [await store.figures.heartbeatDueAt(path.now), await store.figures.heartbeatDueAt(path.now - 6)],
    [path.now - 5, null],
  );
  path.temp.clock.advance(10_000);
  await path.schedule();
  const { requested, outcomes, open, difference } = await store.figures.conservation();
  assert.deepEqual([requested, outcomes.failed, outcomes.passed, open, difference], [2, 1, 0, 1, 0]);
  raw.exec('DELETE FROM runs');
  assert.equal((await store.figures.conservation()).difference, 1, 'a run that is lost shows');
  const [state, ...more] = await store.figures.checkStates();
  assert.deepEqual([state?.accountId, state?.checkId, state?.status], [path.accountId, checkId, 'failing']);
  assert.deepEqual([state?.responseTimeMs, more], [12.345, []]);
  assert.equal(await store.figures.failingChannels(), 0);
  raw.exec(`UPDATE alert_channels SET failing_since = ${path.now}, exhausted_in_a_row = 5`);
  assert.equal(await store.figures.failingChannels(), 1);
  assert.deepEqual(await store.failingChannels.list(path.accountId), [
    { alertChannelId: channel, name: 'Hook', failingSince: path.now, exhaustedInARow: 5, reason: null },
  ]);
});

test('the waiting time of deliveries ignores those in progress, retries, and the age of interrupted ones', async (newStore) => {
  const { test: path } = await failing(newStore, 1);
  await using _ = path;
  const waitingSince = async (): Promise<number | null> =>
    (await path.temp.store.figures.outbox(path.now)).waitingSince;
  const [first] = await path.claimDeliveries();
  assert.ok(first !== undefined);
  assert.equal(await waitingSince(), null, 'it is in progress');
  await path.settle(first, 500);
  assert.equal(await waitingSince(), null, 'it waits for its retry');
  path.temp.clock.advance(60_000);
  const retryAt = path.one('SELECT next_attempt_at FROM deliveries');
  assert.equal(await waitingSince(), retryAt, 'its retry waits');
  await path.claimDeliveries();
  const begunAt = path.now;

  // The process dies; the next one finds what it left.
  path.temp.clock.advance(20_000);
  await path.path.takeOver(path.now);
  assert.ok(Number(path.one('SELECT next_attempt_at FROM deliveries')) < begunAt, 'it goes before what is newer');
  assert.equal(await waitingSince(), begunAt);
  const repeated = await path.claimDeliveries('two');
  assert.deepEqual([repeated.length, await waitingSince()], [1, null]);
});

test('the waiting time of runs is measured by location and ignores runs in progress and retries', async (newStore) => {
  await using path = await PathUnderTest.open(newStore);
  const { store, clock } = path.temp;
  const waitingSince = async (): Promise<Record<string, number | null>> =>
    Object.fromEntries(
      (await store.figures.runQueue(path.now)).map(({ location, waitingSince: since }) => [location, since]),
    );
  assert.deepEqual(await waitingSince(), {});
  await path.check();
  await path.schedule();
  const dueAt = path.now;
  clock.advance(3000);
  assert.deepEqual(await waitingSince(), { local: dueAt });
  assert.deepEqual(await store.figures.runQueue(dueAt - 1), [{ location: 'local', waitingSince: null }]);
  const [first] = await path.claim();
  assert.ok(first !== undefined);
  assert.deepEqual(await waitingSince(), { local: null }, 'it is in progress');
  const retryAt = path.now + 5000;
  await path.record([path.ended(first, 'failed', { retry: { at: retryAt, location: 'far' } })]);
  assert.deepEqual(await waitingSince(), { far: null }, 'it waits for its retry');

  clock.advance(5000);
  await path.check();
  await path.schedule();
  const laterAt = path.now;
  assert.deepEqual(await waitingSince(), { far: retryAt, local: laterAt });
  await path.claim('two', 'far');
  assert.deepEqual(await waitingSince(), { far: null, local: laterAt });
  clock.advance(60_000);
  assert.deepEqual(await waitingSince(), { far: laterAt + leaseMs, local: laterAt }, 'who held it is gone');
});

test('the last stage of a runtime is remembered', async (newStore) => {
  await using temp = await newStore();
  const { runtimeStages } = temp.store;
  await runtimeStages.remember(new Map([['2026.10', 'BETA']]));
  await runtimeStages.remember(new Map([['2026.10', 'CURRENT']]));
  assert.deepEqual([...(await runtimeStages.all())], [['2026.10', 'CURRENT']]);
});
