// Heartbeats on both engines: pings that come in, and what they and their absence come to.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { overdueFinding, pingFinding } from '#checks/heartbeat/finding.ts';
import type { Check } from '#domain/check.ts';
import { type PingSignal, settleMs } from '#domain/heartbeat.ts';
import { createJudgeHeartbeats } from '#pipeline/judge-heartbeats.ts';
import { idBytes } from '#store/codec.ts';
import type { PingAnswer, ReceivedPing } from '#store/receive-pings.ts';
import { type NewStore, test } from '../support/each-engine.ts';
import { aGroup } from '../support/records.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A heartbeat of ten minutes with five of grace, and the shortest words for what happens to it. */
class HeartbeatUnderTest implements AsyncDisposable {
  readonly test: PathUnderTest;
  readonly id: string;
  readonly token: string;

  private constructor(test: PathUnderTest, id: string, token: string) {
    this.test = test;
    this.id = id;
    this.token = token;
  }

  static async open(newStore: NewStore, change: Partial<Check> = {}): Promise<HeartbeatUnderTest> {
    const test = await PathUnderTest.open(newStore);
    const token = randomUUID();
    const { id } = await test.add({ checkType: 'HEARTBEAT', settings: settingsOf(token, 10), ...change });
    await test.channel(id);
    return new HeartbeatUnderTest(test, id, token);
  }

  async ping(signal: Exclude<PingSignal, 'missing'> = 'ping', more: Partial<ReceivedPing> = {}): Promise<PingAnswer> {
    const [answer] = await this.test.path.receivePings([this.received(signal, more)]);
    assert.ok(answer);
    return answer;
  }

  received(signal: Exclude<PingSignal, 'missing'>, more: Partial<ReceivedPing> = {}): ReceivedPing {
    const { token, test } = this;
    const from = { method: 'GET', source: null, userAgent: 'curl/8', body: null };
    return { token, signal, exitCode: null, at: test.now, ...from, ...more };
  }

  /** Turns until nothing is due. */
  async judge(): Promise<void> {
    const turn = createJudgeHeartbeats({
      store: this.test.path,
      clock: this.test.temp.clock,
      owner: 'one',
      location: 'local',
      isReceiving: false,
      pingFinding,
      overdueFinding,
      render: rendered,
      statusOf: () => null,
      onRecorded: () => undefined,
    });
    while ((await turn()) === 0);
  }

  async after(ms: number): Promise<void> {
    this.test.temp.clock.turn(ms);
    await this.judge();
  }

  /** Outcomes of the results, oldest first. */
  outcomes(): unknown[] {
    const names = ['passed', 'degraded', 'failed', 'unknown'];
    return this.test.rows('SELECT outcome FROM results ORDER BY id').map(({ outcome }) => names[Number(outcome)]);
  }

  alerts(): unknown[] {
    return this.test.rows('SELECT alert_type FROM alerts ORDER BY id').map(({ alert_type }) => alert_type);
  }

  async events(): Promise<string[]> {
    const events = await this.test.temp.store.pings.list(this.test.accountId, this.id, 10);
    return events.map(({ signal, state }) => `${signal} ${state}`).reverse();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    assert.equal(this.test.difference(), 0, 'every run that was asked for has its outcome');
    await this.test[Symbol.asyncDispose]();
  }
}

function settingsOf(pingToken: string, minutes: number) {
  return {
    heartbeat: { period: minutes, periodUnit: 'minutes', grace: 5, graceUnit: 'minutes', pingToken },
  };
}

test('a heartbeat is missed after period and grace, alerts, and recovers with the next ping', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.after(10 * hour);
  assert.deepEqual(beat.outcomes(), [], 'never pinged, and expected by nobody');
  assert.deepEqual(await beat.ping(), { outcome: 'kept', isJudged: true });
  await beat.judge();
  assert.deepEqual(beat.outcomes(), ['passed']);
  await beat.after(15 * minute + settleMs - 1);
  assert.deepEqual(beat.outcomes(), ['passed']);
  await beat.after(1);
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'failed'], ['ALERT_FAILURE']]);
  await beat.after(15 * minute + settleMs);
  assert.deepEqual([beat.outcomes().length, beat.alerts().length], [3, 1], 'fails again, and is told once');
  await beat.ping();
  await beat.judge();
  assert.deepEqual(beat.alerts(), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
  assert.equal(beat.test.one('SELECT count(*) FROM deliveries'), 2);
  assert.deepEqual(await beat.events(), ['ping RECEIVED', 'missing FAILING', 'missing FAILING', 'ping EARLY']);
});

test('a failing signal is not lost behind a success that came before it was judged', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.ping();
  await beat.judge();
  const of = (signal: 'exit' | 'ping', exitCode: number | null) =>
    beat.received(signal, { exitCode, body: 'disk full\nmore', method: 'POST' });
  await beat.test.path.receivePings([of('exit', 3), of('ping', null)]);
  await beat.judge();
  assert.deepEqual(beat.outcomes(), ['passed', 'failed', 'passed']);
  assert.deepEqual(beat.alerts(), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
  assert.equal(
    beat.test.one('SELECT message FROM results WHERE message IS NOT NULL'),
    'the job ended with exit code 3: disk full',
  );
  assert.deepEqual(await beat.events(), ['ping RECEIVED', 'exit FAILING', 'ping EARLY']);
});

test('a hundred pings at once are a hundred events and one result', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const answers = await beat.test.path.receivePings(Array.from({ length: 100 }, () => beat.received('ping')));
  assert.ok(answers.every(({ outcome }) => outcome === 'kept'));
  await beat.judge();
  assert.deepEqual([beat.test.one('SELECT count(*) FROM pings'), beat.outcomes().length], [100, 1]);
  assert.equal(beat.test.one('SELECT count(*) FROM waiting_pings'), 0);
});

test('a ping by a token that is nobody’s is unknown, beside one that is kept', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const answers = await beat.test.path.receivePings([
    beat.received('ping', { token: randomUUID() }),
    beat.received('log'),
  ]);
  assert.deepEqual(answers, [{ outcome: 'unknown' }, { outcome: 'kept', isJudged: false }]);
  await beat.judge();
  assert.deepEqual(beat.outcomes(), []);
  const [event] = await beat.test.temp.store.pings.list(beat.test.accountId, beat.id, 1);
  const found = await beat.test.temp.store.pings.find(beat.test.accountId, beat.id, event?.id ?? '');
  assert.deepEqual([found, found?.userAgent], [event, 'curl/8']);
});

test('a paused heartbeat is silent, and its period begins anew when it is activated again', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.ping();
  await beat.judge();
  await beat.test.edit(beat.id, { activated: false });
  await beat.after(hour);
  await beat.ping();
  assert.deepEqual(beat.outcomes(), ['passed']);
  await beat.after(hour);
  await beat.test.edit(beat.id, { activated: true });
  await beat.after(15 * minute);
  assert.deepEqual(beat.outcomes(), ['passed']);
  await beat.after(settleMs);
  assert.deepEqual(beat.outcomes(), ['passed', 'failed']);
});

test('a heartbeat follows its group, and another period begins its timer anew', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { test, id, token } = beat;
  const { checkGroups } = test.temp.store;
  const group = await checkGroups.add({ group: aGroup(test.accountId), subscriptions: null, isAutoAssigned: false });
  assert.ok('saved' in group);
  const groupId = group.saved.group.id;
  await test.edit(id, { groupId });
  await beat.ping();
  await beat.judge();
  const change = (activated: boolean) =>
    checkGroups.change(test.accountId, groupId, (present) => ({
      group: { ...present.group, activated },
      subscriptions: null,
      isAutoAssigned: false,
    }));
  await change(false);
  await beat.after(hour);
  assert.deepEqual(beat.outcomes(), ['passed']);
  await change(true);
  await beat.after(10 * minute);
  await test.edit(id, { settings: settingsOf(token, 20) });
  await beat.after(24 * minute);
  assert.deepEqual(beat.outcomes(), ['passed']);
  await beat.after(minute + settleMs);
  assert.deepEqual(beat.outcomes(), ['passed', 'failed']);
});

test('a deadline that fell into a time without anybody to ping is unknown, and fails only after one more period', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { receptions } = beat.test.temp.store;
  await receptions.hear(true);
  await beat.ping();
  await beat.judge();
  await beat.after(hour);
  assert.deepEqual(beat.outcomes(), ['passed'], 'nobody receives pings: nothing is missing');
  await receptions.hear(true);
  await beat.after(5000);
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'unknown'], []]);
  assert.match(String(beat.test.one('SELECT max(message) FROM results')), /could not receive pings from .* to /);
  for (let minutes = 0; minutes < 15; minutes++) {
    await receptions.hear(false);
    beat.test.temp.clock.turn(15_000);
    await receptions.hear(false);
    await beat.after(14_000);
  }
  assert.deepEqual(beat.alerts(), []);
  const until = beat.test.now + 9 * minute;
  while (beat.test.now < until) {
    await receptions.hear(false);
    await beat.after(15_000);
  }
  assert.deepEqual(beat.alerts(), ['ALERT_FAILURE']);
});

test('pings that wait are judged by whoever comes, once', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.ping('fail');
  await Promise.all([beat.judge(), beat.judge(), beat.judge()]);
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['failed'], ['ALERT_FAILURE']]);
});

test('a clock that is set, forward or back, moves what is expected with it', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.test.temp.store.receptions.hear(true);
  await beat.ping();
  await beat.judge();
  const { clock } = beat.test.temp;
  clock.turn(2 * hour);
  await beat.test.path.moveWithClock(2 * hour, clock.now());
  await beat.judge();
  assert.deepEqual(beat.outcomes(), ['passed']);
  clock.turn(-3 * hour);
  await beat.test.path.takeOver(clock.now());
  await beat.judge();
  await beat.test.temp.store.receptions.hear(false);
  await beat.ping();
  clock.turn(14_000);
  await beat.judge();
  assert.equal(beat.alerts().length, 0);
  assert.equal(
    beat.test.one(`SELECT count(*) FROM heartbeats WHERE timer_at <= ${clock.now()} AND due_at > ${clock.now()}`),
    1,
    'it is expected in time, not in three hours',
  );
});

test('an account that moves takes no pings, and its periods begin anew when it goes on', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.ping();
  await beat.judge();
  const { temp, accountId } = beat.test;
  temp.raw
    .prepare(`INSERT INTO account_moves (account_id, move_id, state, renewed_at) VALUES (?, ?, 'leaving', ?)`)
    .run(idBytes(accountId), idBytes(randomUUID()), temp.clock.now());
  temp.raw.prepare('UPDATE heartbeats SET due_at = due_at + 4000000000000000').run();
  assert.deepEqual(await beat.ping('fail'), { outcome: 'moving', accountId });
  await beat.after(hour);
  assert.equal(await temp.store.accountMoves.resumeLapsed(), 1);
  await beat.judge();
  assert.deepEqual(beat.outcomes(), ['passed']);
  await beat.after(15 * minute + settleMs);
  assert.deepEqual(beat.outcomes(), ['passed', 'failed']);
});

test('what a heartbeat leaves goes with it, and old pings go with the retention', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { temp, accountId } = beat.test;
  await beat.ping('log');
  temp.clock.turn(40 * 24 * hour);
  await beat.ping('log');
  const { now } = beat.test;
  while (!(await temp.store.retention.sweep(now - 30 * 24 * hour, now)).isThrough);
  assert.equal(beat.test.one('SELECT count(*) FROM pings'), 1);
  await beat.ping();
  assert.equal(await temp.store.checks.remove(accountId, beat.id), true);
  for (const table of ['heartbeats', 'pings', 'waiting_pings']) {
    assert.equal(beat.test.one(`SELECT count(*) FROM ${table}`), 0, table);
  }
});
