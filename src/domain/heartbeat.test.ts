// What a ping, and its absence, come to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Heartbeat, lookAtHeartbeat, neverAt, settleMs, takePing } from './heartbeat.ts';

const minute = 60_000;
const fresh: Heartbeat = {
  accountId: 'a',
  checkId: 'c',
  isActive: true,
  periodMs: 10 * minute,
  graceMs: 5 * minute,
  dueAt: neverAt,
  timerAt: null,
  startedAt: null,
  resultAt: null,
  isPassing: false,
  isExcused: false,
};
const at = 1_000_000_000;
const ping = (heartbeat: Heartbeat, when: number) => takePing(heartbeat, { signal: 'ping', exitCode: null, at: when });
/** Pinged and judged. */
const pinged: Heartbeat = { ...ping(fresh, at).heartbeat, dueAt: at + 15 * minute + settleMs };

test('a heartbeat that was never pinged is expected by nobody, and its first ping starts the timer', () => {
  assert.deepEqual(lookAtHeartbeat(fresh, at), { overdue: null, heartbeat: fresh });
  const first = ping(fresh, at);
  assert.equal(first.state, 'RECEIVED');
  assert.deepEqual(first.judged, { isFailure: false, intervalMs: null, tookMs: null });
  assert.deepEqual([first.heartbeat.timerAt, first.heartbeat.dueAt], [at, at]);
  const looked = lookAtHeartbeat(first.heartbeat, at);
  assert.deepEqual([looked.overdue, looked.heartbeat.dueAt], [null, at + 15 * minute + settleMs]);
});

test('a ping is early within the period, in grace after it, and late beyond', () => {
  const states = [9, 10, 15, 16].map((minutes) => ping(pinged, at + minutes * minute).state);
  assert.deepEqual(states, ['EARLY', 'GRACE', 'GRACE', 'LATE']);
});

test('a flood of pings is events, and a result only each half period', () => {
  const soon = ping(pinged, at + 10);
  assert.equal(soon.judged, null);
  assert.equal(soon.heartbeat.dueAt, pinged.dueAt, 'where it is looked for stays, so that a ping writes no index');
  assert.equal(ping(pinged, at + 5 * minute).judged?.intervalMs, 5 * minute);
});

test('a failing signal is always judged, its repeat within a second not, and the next success is', () => {
  const failed = takePing(pinged, { signal: 'exit', exitCode: 3, at: at + 10 });
  assert.deepEqual([failed.state, failed.judged?.isFailure], ['FAILING', true]);
  assert.equal(takePing(failed.heartbeat, { signal: 'fail', exitCode: null, at: at + 20 }).judged, null);
  assert.ok(takePing(failed.heartbeat, { signal: 'fail', exitCode: null, at: at + 1010 }).judged);
  const again = ping(failed.heartbeat, at + 30);
  assert.equal(again.judged?.isFailure, false);
  assert.equal(again.judged.intervalMs, null, 'the time while it failed is not known to be good');
  assert.equal(takePing(pinged, { signal: 'exit', exitCode: 0, at: at + 10 }).state, 'EARLY');
});

test('a start gives the next end its duration, a log changes nothing', () => {
  const started = takePing(pinged, { signal: 'start', exitCode: null, at: at + 10 });
  assert.equal(started.judged, null);
  assert.equal(started.heartbeat.timerAt, at, 'it is no sign of success');
  const logged = takePing(started.heartbeat, { signal: 'log', exitCode: null, at: at + 15 });
  assert.equal(logged.heartbeat, started.heartbeat);
  const ended = takePing(logged.heartbeat, { signal: 'fail', exitCode: null, at: at + 2010 });
  assert.equal(ended.judged?.tookMs, 2000);
  assert.equal(ended.heartbeat.startedAt, null);
});

test('a ping that another process dated before the newest result stands beside it, not before it', () => {
  const looked = lookAtHeartbeat(pinged, at + 16 * minute).heartbeat;
  assert.equal(looked.resultAt, at + 15 * minute);
  assert.equal(ping(looked, at + 14 * minute).at, at + 15 * minute);
});

test('what does not come fails after period and grace, and again each time as long', () => {
  assert.equal(lookAtHeartbeat(pinged, at + 15 * minute + settleMs - 1).overdue, null);
  const now = at + 15 * minute + settleMs;
  const first = lookAtHeartbeat(pinged, now);
  assert.deepEqual(first.overdue, { outcome: 'failed', at: at + 15 * minute, intervalMs: 15 * minute });
  assert.equal(first.heartbeat.dueAt, now + 15 * minute + settleMs);
  assert.equal(lookAtHeartbeat(first.heartbeat, first.heartbeat.dueAt).overdue?.outcome, 'failed');
});

test('a heartbeat that is looked at early is looked at again at its deadline', () => {
  const moved = ping(pinged, at + 2 * minute).heartbeat;
  const looked = lookAtHeartbeat(moved, moved.dueAt);
  assert.deepEqual([looked.overdue, looked.heartbeat.dueAt], [null, at + 17 * minute + settleMs]);
});

test('a paused heartbeat takes its pings and judges nothing', () => {
  const paused = { ...pinged, isActive: false };
  const step = ping(paused, at + 20 * minute);
  assert.deepEqual([step.state, step.judged], ['LATE', null]);
  assert.deepEqual(lookAtHeartbeat(step.heartbeat, at + 90 * minute).overdue, null);
  assert.equal(lookAtHeartbeat(step.heartbeat, at + 90 * minute).heartbeat.dueAt, neverAt);
});

test('a deadline before which no ping could reach us is unknown, and there is one more period', () => {
  const deaf = { from: at + 8 * minute, to: at + 20 * minute };
  const looked = lookAtHeartbeat(pinged, at + 20 * minute, { deaf });
  assert.equal(looked.overdue?.outcome, 'unknown');
  assert.equal(looked.heartbeat.dueAt, deaf.to + 15 * minute + settleMs);
  assert.equal(lookAtHeartbeat(looked.heartbeat, looked.heartbeat.dueAt, { deaf }).overdue?.outcome, 'failed');
});

test('a gap in which no ping was expected, and one after the deadline, excuse nothing', () => {
  const now = at + 20 * minute;
  for (const deaf of [
    { from: at + 1 * minute, to: at + 4 * minute },
    { from: at + 15 * minute, to: at + 19 * minute },
  ]) {
    assert.equal(lookAtHeartbeat(pinged, now, { deaf }).overdue?.outcome, 'failed');
  }
});

test('short gaps that come back excuse once, and not for ever', () => {
  const excused = { ...pinged, isExcused: true };
  const now = at + 20 * minute;
  const overdue = (minutes: number) =>
    lookAtHeartbeat(excused, now, { deaf: { from: at + 9 * minute, to: at + (9 + minutes) * minute } }).overdue
      ?.outcome;
  assert.equal(overdue(1), 'failed');
  assert.equal(overdue(6), 'unknown', 'longer than half a period: nobody could have told');
});

test('in maintenance nothing is missing, and it is expected a period later', () => {
  const now = at + 20 * minute;
  const looked = lookAtHeartbeat(pinged, now, { isPaused: true });
  assert.equal(looked.overdue?.outcome, 'unknown');
  assert.deepEqual([looked.heartbeat.isPassing, looked.heartbeat.dueAt], [true, now + 15 * minute + settleMs]);
});

test('a deadline that is newer than the last sign of who receives pings is not judged yet', () => {
  const now = at + 16 * minute;
  const looked = lookAtHeartbeat(pinged, now, { heardAt: at + 15 * minute - 1 });
  assert.equal(looked.overdue, null);
  assert.deepEqual({ ...looked.heartbeat, dueAt: pinged.dueAt }, pinged);
  assert.equal(lookAtHeartbeat(pinged, now, { heardAt: at + 15 * minute }).overdue?.outcome, 'failed');
});
