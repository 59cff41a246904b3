// Transactions that create deliveries are bounded, on both engines: a mass failure does not hold the process or its locks.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { overdueFinding, pingFinding } from '#checks/kinds/heartbeat/finding.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { createJudgeHeartbeats } from '#pipeline/judge-heartbeats.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import { createRecordResults } from '#pipeline/record-results.ts';
import type { OpenedAlert, StateKey } from '#store/path/states/judge-states.ts';
import { test, type NewStore } from '../support/store/each-engine.ts';
import { aChannel } from '../support/store/records.ts';
import type { Path } from '#store/path/path.ts';
import { deliveriesAtOnce } from '#store/path/record/record-attempts.ts';
import { settingsOf } from './heartbeat-under-test.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

/** More deliveries than one transaction may create. */
const [checks, channels] = [12, 100];
const maxAtOnce = deliveriesAtOnce / channels;

/** Checks that all channels are subscribed to, each with an ended run. */
async function massFailure(newStore: NewStore): Promise<{ path: PathUnderTest; ended: EndedAttempt[] }> {
  const path = await PathUnderTest.open(newStore);
  const ids: string[] = [];
  for (let index = 0; index < checks; index++) ids.push(await path.check());
  const subscriptions = ids.map((checkId) => ({ checkId, groupId: null, activated: true }));
  for (let index = 0; index < channels; index++) {
    await path.temp.store.alertChannels.add({ channel: aChannel(path.accountId), subscriptions });
  }
  await path.schedule();
  return { path, ended: (await path.claim()).map((claimed) => path.ended(claimed, 'failed')) };
}

const stored = (path: PathUnderTest) =>
  ['results', 'alerts', 'deliveries'].map((table) => path.one(`SELECT count(*) FROM ${table}`));

test('results are recorded in several transactions, each with its alerts and deliveries', async (newStore) => {
  const { path, ended } = await massFailure(newStore);
  await using _ = path;
  assert.equal(ended.length, checks);
  const commits: unknown[] = [];
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const step = createRecordResults({
    store: {
      async recordAttempts(attempts, rules) {
        const recorded = await path.path.recordAttempts(attempts, rules);
        commits.push(recorded.length);
        const done = commits.reduce<number>((sum, one) => sum + Number(one), 0);
        assert.deepEqual(stored(path), [done, done, done * channels]);
        return recorded;
      },
    },
    clock: path.temp.clock,
    owner: 'one',
    locations: () => ['local'],
    render: rendered,
    statusOf: () => 500,
    onRecorded: () => undefined,
    onError: reject,
  });
  const recorded = await Promise.race([failed, Promise.all(ended.map((attempt) => step.record(attempt)))]);
  assert.deepEqual(
    recorded.map((one) => [one?.isRecorded, one?.deliveries]),
    Array.from({ length: checks }, () => [true, channels]),
  );
  assert.ok(commits.length > 1);
  assert.ok(
    commits.every((count) => Number(count) <= maxAtOnce),
    `recorded ${commits.join(', ')} at once`,
  );
});

test('a batch that fails halfway is repeated without its durable results', async (newStore) => {
  const { path, ended } = await massFailure(newStore);
  await using _ = path;
  let calls = 0;
  const step = createRecordResults({
    store: {
      recordAttempts(attempts, rules) {
        if (++calls === 2) return Promise.reject(new Error('the connection was lost'));
        return path.path.recordAttempts(attempts, rules);
      },
    },
    clock: path.temp.clock,
    owner: 'one',
    locations: () => ['local'],
    render: rendered,
    statusOf: () => 500,
    onRecorded: () => undefined,
    onError: () => undefined,
  });
  const recorded = await Promise.all(ended.map((attempt) => step.record(attempt)));
  assert.ok(recorded.every((one) => one?.isRecorded === true));
  assert.deepEqual(stored(path), [checks, checks, checks * channels]);
});

test('states are judged in several transactions', async (newStore) => {
  const { path, ended } = await massFailure(newStore);
  await using _ = path;
  await path.record(ended.map((attempt) => ({ ...attempt, rules: { ...attempt.rules, isMuted: true } })));
  assert.deepEqual(stored(path), [checks, 0, 0]);
  let opened = 0;
  const tick = createJudgeStates<StateKey, OpenedAlert>({
    store: {
      async judgeStates(rules) {
        const judged = await path.path.judgeStates(rules);
        opened += judged.opened.length;
        assert.ok(judged.opened.length <= maxAtOnce, `opened ${judged.opened.length} at once`);
        assert.deepEqual(stored(path), [checks, opened, opened * channels]);
        return judged;
      },
    },
    clock: path.temp.clock,
    locations: () => ['local'],
    render: rendered,
    statusOf: () => 500,
    onOpened: () => undefined,
  });
  while ((await tick()) < 1000);
  assert.equal(opened, checks);
});

test('heartbeats are judged in several transactions', async (newStore) => {
  const path = await PathUnderTest.open(newStore);
  await using _ = path;
  const subscriptions: { checkId: string; groupId: null; activated: boolean }[] = [];
  for (let index = 0; index < checks; index++) {
    const token = randomUUID();
    const { id } = await path.add({ checkType: 'HEARTBEAT', settings: settingsOf(token, 10) });
    subscriptions.push({ checkId: id, groupId: null, activated: true });
    const ping = { token, signal: 'ping', exitCode: null, at: path.now, method: 'GET' } as const;
    await path.path.receivePings([{ ...ping, source: null, userAgent: null, body: null }]);
  }
  for (let index = 0; index < channels; index++) {
    await path.temp.store.alertChannels.add({ channel: aChannel(path.accountId), subscriptions });
  }
  const commits: number[] = [];
  const store: Pick<Path, 'judgeHeartbeats'> = {
    async judgeHeartbeats(rules) {
      const judged = await path.path.judgeHeartbeats(rules);
      commits.push(judged.recorded.length);
      return judged;
    },
  };
  const tick = createJudgeHeartbeats({
    store,
    clock: path.temp.clock,
    owner: 'one',
    location: 'local',
    pingFinding,
    overdueFinding,
    serverTimeZone: 'UTC',
    render: rendered,
    statusOf: () => null,
    onRecorded: () => undefined,
  });
  const judge = async (): Promise<void> => {
    while ((await tick()) === 0);
  };
  await judge();
  assert.deepEqual(stored(path), [checks, 0, 0]);
  commits.length = 0;
  path.temp.clock.advance(20 * 60_000);
  await judge();
  assert.deepEqual(stored(path), [2 * checks, checks, checks * channels]);
  assert.ok(
    commits.every((count) => count <= maxAtOnce),
    `recorded ${commits.join(', ')} at once`,
  );
});
