// Heartbeats on both engines: times in which no ping could be received, or none was expected.
import assert from 'node:assert/strict';
import { settleMs } from '#domain/checks/heartbeat.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { HeartbeatUnderTest, hour, minute } from './heartbeat-under-test.ts';

test('a deadline that fell into a time without anybody to ping is unknown, and fails only after one more period', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { receptions } = beat.test.temp.store;
  await receptions.note(true);
  await beat.ping();
  await beat.judge();
  await beat.after(hour);
  assert.deepEqual(beat.outcomes(), ['passed'], 'nobody receives pings: nothing is missing');
  await receptions.note(true);
  await beat.after(5000);
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'unknown'], []]);
  assert.match(String(beat.test.one('SELECT max(message) FROM results')), /could not receive pings from .* to /);
  for (let minutes = 0; minutes < 15; minutes++) {
    await receptions.note(false);
    beat.test.temp.clock.advance(15_000);
    await receptions.note(false);
    await beat.after(14_000);
  }
  assert.deepEqual(beat.alerts(), []);
  const until = beat.test.now + 9 * minute;
  while (beat.test.now < until) {
    await receptions.note(false);
    await beat.after(15_000);
  }
  assert.deepEqual(beat.alerts(), ['ALERT_FAILURE']);
});

onSqlite('a deadline in ten seconds without anybody to ping raises no alarm', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { receptions } = beat.test.temp.store;
  await receptions.note(true);
  await beat.ping();
  await beat.judge();
  beat.test.temp.clock.advance(15 * minute - 5000);
  await receptions.note(false);
  await beat.after(7000);
  assert.deepEqual(beat.outcomes(), ['passed'], 'no sign is newer than the deadline');
  beat.test.temp.clock.advance(3000);
  await receptions.note(true);
  await beat.judge();
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'unknown'], []]);
});

onSqlite('a deadline in a time in which pings could not be written raises no alarm', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { receptions } = beat.test.temp.store;
  await receptions.note(true);
  await beat.ping();
  await beat.judge();
  beat.test.temp.clock.advance(15 * minute + 1000);
  await receptions.note(false, { gapMs: () => 3000 });
  await beat.judge();
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'unknown'], []]);
});

onSqlite('who has no heartbeat writes no sign', async (newStore) => {
  const { store, raw } = await newStore();
  await store.receptions.note(true);
  await store.receptions.note(false);
  assert.equal(raw.prepare(`SELECT count(*) AS n FROM installation WHERE key = 'pings-heard'`).get()?.['n'], 0);
  await store.close();
});

test('a failure signal is alerted at once after a gap in receiving pings', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.test.temp.store.receptions.note(true);
  await beat.ping();
  await beat.judge();
  beat.test.temp.clock.advance(minute);
  await beat.ping('fail');
  await beat.judge();
  assert.deepEqual(beat.alerts(), ['ALERT_FAILURE']);
});

test('a heartbeat that was not expected in maintenance makes no slot that was missed on purpose', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.pauseFrom(minute, hour);
  await beat.ping();
  await beat.judge();
  await beat.after(15 * minute + settleMs);
  assert.deepEqual(
    [beat.outcomes(), beat.test.one('SELECT sum(limited) FROM account_counts')],
    [['passed', 'unknown'], 0],
  );
  const gap = await beat.test.temp.store.gaps.ofAccount(beat.test.accountId);
  assert.equal(gap?.missed ?? 0, 0);
});

onSqlite(
  'a deadline soon after a window without runs is let pass, and its period begins at the end of the window',
  async (newStore) => {
    await using beat = await HeartbeatUnderTest.open(newStore);
    await beat.pauseFrom(minute, 14 * minute);
    await beat.ping();
    await beat.judge();
    await beat.after(15 * minute + settleMs);
    assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'unknown'], []]);
    await beat.after(14 * minute - 2);
    assert.deepEqual(beat.alerts(), []);
    await beat.after(2);
    assert.deepEqual(beat.alerts(), ['ALERT_FAILURE'], 'fifteen minutes after its end');
  },
);

onSqlite('a late ping of a time without anybody to ping leaves no alarm behind', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  await beat.test.temp.store.receptions.note(true);
  await beat.ping();
  await beat.judge();
  beat.test.temp.clock.advance(15 * minute - 1000);
  await beat.test.temp.store.receptions.note(false);
  beat.test.temp.clock.advance(7000);
  await beat.ping();
  await beat.judge();
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'unknown', 'passed'], []]);
});

onSqlite('a restart every twenty seconds does not excuse a job forever', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { receptions } = beat.test.temp.store;
  await receptions.note(true);
  await beat.ping();
  await beat.judge();
  for (let seconds = 0; seconds < 40 * 60; seconds += 20) {
    for (const ms of [8000, 8000]) {
      beat.test.temp.clock.advance(ms);
      await receptions.note(false);
      await beat.judge();
    }
    beat.test.temp.clock.advance(4000);
    await receptions.note(true);
    await beat.judge();
  }
  assert.deepEqual([beat.outcomes().slice(0, 3), beat.alerts()], [['passed', 'unknown', 'failed'], ['ALERT_FAILURE']]);
  const excuse = String(beat.test.one(`SELECT message FROM results WHERE message LIKE 'inconclusive%'`));
  assert.match(excuse, /for 1(76|80) s in total from /, '4 s of every 20 s in 15 minutes');
});

test('of many gaps the oldest are joined, and their lengths still add up', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const { receptions } = beat.test.temp.store;
  await receptions.note(true);
  for (let count = 0; count < 25; count++) {
    beat.test.temp.clock.advance(2000);
    await receptions.note(true);
    for (let signs = 0; signs < 7; signs++) {
      beat.test.temp.clock.advance(10_000);
      await receptions.note(false);
    }
  }
  const { gaps } = await receptions.note(false);
  assert.deepEqual([gaps.length, gaps[0]?.ms, gaps.reduce((sum, { ms }) => sum + ms, 0)], [20, 12_000, 50_000]);
});
