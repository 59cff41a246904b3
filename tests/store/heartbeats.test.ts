// Heartbeats on both engines: pings that come in, and what they and their absence come to.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { settleMs } from '#domain/checks/heartbeat.ts';
import { type IdBytes, idBytes, idText } from '#store/base/codec.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { aChannel, aGroup } from '../support/store/records.ts';
import { HeartbeatUnderTest, hour, minute, settingsOf } from './heartbeat-under-test.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

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
  const message = (at: number) => beat.test.one(`SELECT message FROM results ORDER BY id LIMIT 1 OFFSET ${at}`);
  assert.match(String(message(1)), /^no ping since \S+( \S+)? UTC; expected/, 'in the zone of the server');
  await beat.test.temp.store.accounts.change(beat.test.accountId, { timeZone: 'Asia/Tokyo' });
  await beat.after(15 * minute + settleMs);
  assert.deepEqual([beat.outcomes().length, beat.alerts().length], [3, 1], 'it fails again and is alerted once');
  assert.match(String(message(2)), / UTC\+9; expected/, 'in the zone of the account');
  await beat.ping();
  await beat.judge();
  assert.deepEqual(beat.alerts(), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
  assert.equal(beat.test.one('SELECT count(*) FROM deliveries'), 2);
  assert.deepEqual(await beat.events(), ['ping RECEIVED', 'missing FAILING', 'missing FAILING', 'ping EARLY']);
});

test('many overdue at once are each evaluated, and each channel is notified of its own checks', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { test, id } = beat;
  const { checkGroups, alertChannels } = test.temp.store;
  const group = await checkGroups.add({ group: aGroup(test.accountId), subscriptions: null, isAutoAssigned: false });
  assert.ok('saved' in group);
  const groupId = group.saved.group.id;
  const toGroup = [{ checkId: null, groupId, activated: true }];
  await alertChannels.add({ channel: aChannel(test.accountId, {}), subscriptions: toGroup });
  const tokens = [beat.token, ...Array.from({ length: 44 }, () => randomUUID())];
  let grouped = '';
  for (const [index, token] of tokens.entries()) {
    if (index === 0) continue;
    const settings = settingsOf(token, 10);
    const added = await test.add({ checkType: 'HEARTBEAT', settings, groupId: index === 30 ? groupId : null });
    if (index === 30) grouped = added.id;
  }
  const pingAll = async (): Promise<void> => {
    await test.path.receivePings(tokens.map((token) => beat.received('ping', { token })));
    await beat.judge();
  };
  const notified = (): string[] =>
    test.rows('SELECT check_id FROM deliveries').map((row) => idText(row['check_id'] as IdBytes));
  await pingAll();
  await beat.after(15 * minute + settleMs);
  // Rows of one outcome are of one check, result and time.
  const whole = `SELECT count(DISTINCT r.check_id) FROM results r
    JOIN alerts a ON a.check_id = r.check_id AND a.result_id = r.id AND a.error = r.message AND a.started_at = r.started_at
    JOIN pings p ON p.check_id = r.check_id AND p.id = r.id
    JOIN check_states s ON s.check_id = r.check_id AND s.last_result_id = r.id AND s.alerted = s.status
    JOIN heartbeats h ON h.check_id = r.check_id AND h.result_at = r.started_at AND h.is_passing = 0`;
  assert.deepEqual([test.one(whole), beat.alerts().length, beat.outcomes().length], [45, 45, 90]);
  assert.deepEqual(notified().toSorted(), [id, grouped].toSorted());
  test.temp.raw.prepare('DELETE FROM subscriptions').run();
  await pingAll();
  assert.deepEqual(
    notified().toSorted(),
    [id, id, grouped, grouped].toSorted(),
    'notified channels receive the recovery',
  );
  assert.equal(beat.alerts().length, 90);
});

onSqlite('a failing signal is not lost behind a success that came before it was judged', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.ping();
  await beat.judge();
  const of = (signal: 'exit' | 'ping', exitCode: number | null, later = 0) =>
    beat.received(signal, { exitCode, body: 'disk full\nmore', method: 'POST', at: beat.test.now + later });
  await beat.test.path.receivePings([of('exit', 3), of('ping', null), of('ping', null, 1000)]);
  beat.test.temp.clock.advance(1000);
  await beat.judge();
  assert.deepEqual(beat.outcomes(), ['passed', 'failed', 'passed']);
  assert.deepEqual(beat.alerts(), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
  assert.equal(
    beat.test.one('SELECT message FROM results WHERE message IS NOT NULL'),
    'the job ended with exit code 3: disk full',
  );
  assert.deepEqual(await beat.events(), ['ping RECEIVED', 'exit FAILING', 'ping EARLY', 'ping EARLY']);
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

onSqlite('a paused heartbeat is silent, and its period begins anew when it is activated again', async (newStore) => {
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
  assert.equal(beat.test.one('SELECT min(interval_ms) FROM results'), -15 * minute, 'without the time of the pause');
});

test('pings that were received stay in the list however many are missing', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const pingedAt = beat.test.now;
  await beat.ping();
  await beat.judge();
  for (let round = 0; round < 12; round++) await beat.after(15 * minute + settleMs);
  const events = await beat.events();
  assert.deepEqual([events.length, events[0]], [10, 'ping RECEIVED']);
  const { overview } = beat.test.temp.store;
  const newest = (await overview.newestResults(beat.test.accountId, [beat.id])).get(beat.id);
  assert.deepEqual([newest?.outcome, newest?.pingedAt], ['failed', pingedAt], 'the last run is the last ping');
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

test('a check that becomes a heartbeat is not run any more', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { id } = await test.add({ frequency: 1 });
  assert.equal(test.one('SELECT count(*) FROM schedules'), 1);
  await test.edit(id, { checkType: 'HEARTBEAT', settings: settingsOf(randomUUID(), 10) });
  assert.deepEqual([test.one('SELECT count(*) FROM schedules'), test.one('SELECT count(*) FROM heartbeats')], [0, 1]);
});

onSqlite('an edit leaves a heartbeat due only while a ping of it waits', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { test, id, token } = beat;
  const dueIn = () => Number(test.one('SELECT due_at FROM heartbeats')) - test.now;
  await beat.ping();
  await test.edit(id, { settings: settingsOf(token, 20) });
  assert.equal(dueIn(), 0, 'its ping waits');
  await beat.judge();
  test.temp.clock.advance(25 * minute + settleMs);
  await test.edit(id, { settings: settingsOf(token, 40) });
  assert.equal(dueIn(), 45 * minute + settleMs, 'none does');
});

test('a heartbeat can be edited while it is pinged without a pause', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const over = new AbortController();
  let pings = 0;
  const pinging = Array.from({ length: 6 }, async () => {
    while (!over.signal.aborted) {
      await beat.ping();
      pings++;
    }
  });
  for (let minutes = 11; minutes < 31; minutes++) {
    await beat.test.edit(beat.id, { settings: settingsOf(beat.token, minutes) });
  }
  over.abort();
  await Promise.all(pinging);
  await beat.judge();
  assert.equal(beat.test.one('SELECT period_ms FROM heartbeats'), 30 * minute);
  assert.ok(pings > 0);
});

onSqlite('a late ping does not undo a deadline that was not judged before it', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.ping();
  await beat.judge();
  beat.test.temp.clock.advance(15 * minute + settleMs + 1);
  await beat.ping();
  await beat.judge();
  assert.deepEqual(beat.outcomes(), ['passed', 'failed', 'passed']);
  assert.deepEqual(beat.alerts(), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
  assert.deepEqual(await beat.events(), ['ping RECEIVED', 'missing FAILING', 'ping LATE']);
});

onSqlite(
  'a heartbeat that changes its mind at each ping fails once a second, and all its pings are events',
  async (newStore) => {
    await using beat = await HeartbeatUnderTest.open(newStore);
    const at = (index: number) => beat.test.now + index * 10;
    const flood = Array.from({ length: 100 }, (_, index) =>
      beat.received(index % 2 === 0 ? 'fail' : 'ping', { at: at(index) }),
    );
    await beat.test.path.receivePings(flood);
    await beat.judge();
    assert.deepEqual([beat.outcomes(), beat.test.one('SELECT count(*) FROM pings')], [['failed'], 100]);
  },
);

test('many pings that wait are judged in several turns, all in their order', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  for (let index = 0; index < 45; index++) {
    await beat.ping(index % 2 === 0 ? 'fail' : 'ping');
    beat.test.temp.clock.advance(1000);
  }
  await beat.judge();
  const expected = Array.from({ length: 45 }, (_, index) => (index % 2 === 0 ? 'failed' : 'passed'));
  assert.deepEqual(beat.outcomes(), expected);
});

test('waiting pings are evaluated once, by any process', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.ping('fail');
  await Promise.all([beat.judge(), beat.judge(), beat.judge()]);
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['failed'], ['ALERT_FAILURE']]);
});

test('a clock that is set, forward or back, moves what is expected with it', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.test.temp.store.receptions.note(true);
  await beat.ping();
  await beat.judge();
  const { clock } = beat.test.temp;
  clock.advance(2 * hour);
  await beat.test.path.moveWithClock(2 * hour, clock.now());
  await beat.judge();
  assert.deepEqual(beat.outcomes(), ['passed']);
  clock.advance(-3 * hour);
  await beat.test.path.takeOver(clock.now());
  await beat.judge();
  await beat.test.temp.store.receptions.note(false);
  await beat.ping();
  clock.advance(14_000);
  await beat.judge();
  assert.equal(beat.alerts().length, 0);
  assert.equal(
    beat.test.one(`SELECT count(*) FROM heartbeats WHERE timer_at <= ${clock.now()} AND due_at > ${clock.now()}`),
    1,
    'it is expected in time, not in three hours',
  );
});

test('a ping that waits while the clock is set back is judged by the time that is, and the next deadline counts', async (newStore) => {
  for (const how of ['followed', 'found at a start'] as const) {
    await using beat = await HeartbeatUnderTest.open(newStore);
    await beat.ping();
    const { clock } = beat.test.temp;
    clock.advance(-hour);
    if (how === 'followed') await beat.test.path.moveWithClock(-hour, clock.now());
    else await beat.test.path.takeOver(clock.now());
    clock.advance(1000);
    // What says now that it failed came after the ping that waits.
    await beat.ping('fail');
    await beat.judge();
    assert.deepEqual(beat.alerts(), ['ALERT_FAILURE'], how);
    await beat.after(minute);
    await beat.ping();
    await beat.judge();
    assert.deepEqual(beat.alerts(), ['ALERT_FAILURE', 'ALERT_RECOVERY'], how);
    await beat.after(15 * minute + settleMs);
    assert.equal(beat.alerts().length, 3, `${how}: not once the hour has come again`);
  }
});

test('a machine that slept heard nobody: a deadline that was over meanwhile is let pass, and the next one is not', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { store, clock, isShared } = beat.test.temp;
  await store.receptions.note(true);
  await beat.ping();
  await beat.judge();
  clock.advance(8 * hour);
  // A server that keeps the time for many did not sleep, and nothing is moved on it.
  if (!isShared) await store.path.moveWithClock(8 * hour, clock.now(), { ms: 8 * hour, after: clock.now() - 8 * hour });
  await store.receptions.note(false);
  await beat.judge();
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'unknown'], []]);
  for (let at = 0; at <= 15 * minute + settleMs; at += 10_000) {
    clock.advance(10_000);
    await store.receptions.note(false);
  }
  await beat.judge();
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'unknown', 'failed'], ['ALERT_FAILURE']]);
});

test('a ping that came before the clock was followed after a sleep is one from after it', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { store, clock, isShared } = beat.test.temp;
  await store.receptions.note(true);
  await beat.ping();
  await beat.judge();
  // The clock of the process goes on where it stood when the machine fell asleep.
  clock.advance(100);
  const awakeAt = clock.now();
  clock.advance(100);
  await beat.ping();
  clock.advance(8 * hour);
  if (isShared) await beat.ping();
  else await store.path.moveWithClock(8 * hour, clock.now(), { ms: 8 * hour, after: awakeAt });
  await store.receptions.note(false);
  assert.ok(Number(beat.test.one('SELECT timer_at FROM heartbeats')) >= clock.now() - 200);
});

test('what a heartbeat leaves goes with it, and old pings go with the retention', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { temp, accountId } = beat.test;
  await beat.ping('log');
  temp.clock.advance(40 * 24 * hour);
  await beat.ping('log');
  const { now } = beat.test;
  while (!(await temp.store.retention.sweep(now - 30 * 24 * hour, now)).isThrough);
  assert.equal(beat.test.one('SELECT count(*) FROM pings'), 1);
  await beat.ping();
  assert.equal(await temp.store.checks.remove(accountId, beat.id, rendered), true);
  for (const table of ['heartbeats', 'pings', 'waiting_pings']) {
    assert.equal(beat.test.one(`SELECT count(*) FROM ${table}`), 0, table);
  }
});

test('pings of a heartbeat that is not judged, because its check is just going, still wait', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.ping();
  beat.test.temp.raw.prepare('DELETE FROM checks WHERE id = ?').run(idBytes(beat.id));
  const none = { render: rendered, statusOf: () => null, judge: () => assert.fail('there is no check') };
  const tick = await beat.test.path.judgeHeartbeats({ owner: 'one', now: beat.test.now, max: 100, ...none });
  assert.deepEqual(tick.recorded, []);
  assert.equal(beat.test.one('SELECT count(*) FROM waiting_pings'), 1);
});
