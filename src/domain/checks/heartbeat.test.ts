// Evaluation of pings and missing pings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addResult, emptyRollUp } from '../results/roll-up.ts';
import { evaluateHeartbeat, type Heartbeat, mixedPings, neverAt, type PingEvent } from './heartbeat.ts';
import { type ReceptionGap, settleMs, takePing } from './heartbeat.ts';

const minute = 60_000;
const fresh: Heartbeat = {
  accountId: 'a',
  checkId: 'c',
  isActive: true,
  periodMs: 10 * minute,
  graceMs: 5 * minute,
  dueAt: neverAt,
  timerAt: null,
  pingedAt: null,
  startedAt: null,
  resultAt: null,
  isPassing: false,
  isExcused: false,
};
const at = 1_000_000_000;
const ping = (heartbeat: Heartbeat, when: number) => takePing(heartbeat, { signal: 'ping', exitCode: null, at: when });
/** Minutes after `at`. */
const gap = (from: number, to: number, minutes = to - from): ReceptionGap => ({
  from: at + from * minute,
  to: at + to * minute,
  ms: minutes * minute,
});
/** Pinged and evaluated. */
const pinged: Heartbeat = { ...ping(fresh, at).heartbeat, dueAt: at + 15 * minute + settleMs };

test('a heartbeat is not expected before its first ping, which starts the timer', () => {
  assert.deepEqual(evaluateHeartbeat(fresh, at), { overdue: null, heartbeat: fresh });
  const first = ping(fresh, at);
  assert.equal(first.state, 'RECEIVED');
  assert.deepEqual(first.judged, { isFailure: false, intervalMs: null, tookMs: null });
  assert.deepEqual([first.heartbeat.timerAt, first.heartbeat.dueAt], [at, at]);
  const inspected = evaluateHeartbeat(first.heartbeat, at);
  assert.deepEqual([inspected.overdue, inspected.heartbeat.dueAt], [null, at + 15 * minute + settleMs]);
});

test('a ping is early within the period, in grace after it, and late beyond', () => {
  const states = [9, 10, 15, 16].map((minutes) => ping(pinged, at + minutes * minute).state);
  assert.deepEqual(states, ['EARLY', 'GRACE', 'GRACE', 'LATE']);
});

test('a flood of pings is stored as events, with a result only every half period', () => {
  const soon = ping(pinged, at + 10);
  assert.equal(soon.judged, null);
  assert.equal(soon.heartbeat.dueAt, pinged.dueAt, 'the due time stays, so that a ping updates no index');
  assert.equal(ping(pinged, at + 5 * minute).judged?.intervalMs, 5 * minute);
});

test('a failure is always evaluated, except when repeated within a second, and so is the next success', () => {
  const failed = takePing(pinged, { signal: 'exit', exitCode: 3, at: at + 10 });
  assert.deepEqual([failed.state, failed.judged?.isFailure], ['FAILING', true]);
  assert.equal(takePing(failed.heartbeat, { signal: 'fail', exitCode: null, at: at + 20 }).judged, null);
  assert.ok(takePing(failed.heartbeat, { signal: 'fail', exitCode: null, at: at + 1010 }).judged);
  const again = ping(failed.heartbeat, at + 1010);
  assert.equal(ping(failed.heartbeat, at + 1009).judged, null, 'within a second the failure counts');
  assert.equal(again.judged?.isFailure, false);
  assert.equal(again.judged.intervalMs, -1000, 'the check was failing since the failure');
  assert.equal(takePing(pinged, { signal: 'exit', exitCode: 0, at: at + 10 }).state, 'EARLY');
});

test('a start determines the duration of the next end, and a log changes nothing', () => {
  const started = takePing(pinged, { signal: 'start', exitCode: null, at: at + 10 });
  assert.equal(started.judged, null);
  assert.equal(started.heartbeat.timerAt, at, 'a start is not a success');
  const logged = takePing(started.heartbeat, { signal: 'log', exitCode: null, at: at + 15 });
  assert.equal(logged.heartbeat, started.heartbeat);
  const ended = takePing(logged.heartbeat, { signal: 'fail', exitCode: null, at: at + 2010 });
  assert.equal(ended.judged?.tookMs, 2000);
  assert.equal(ended.heartbeat.startedAt, null);
});

test('a ping that another process dated before the latest result gets the time of that result', () => {
  const inspected = evaluateHeartbeat(pinged, at + 16 * minute).heartbeat;
  assert.equal(inspected.resultAt, at + 15 * minute);
  assert.equal(ping(inspected, at + 14 * minute).at, at + 15 * minute);
});

test('a missing ping fails after period and grace, and again after each further period and grace', () => {
  assert.equal(evaluateHeartbeat(pinged, at + 15 * minute + settleMs - 1).overdue, null);
  const now = at + 15 * minute + settleMs;
  const first = evaluateHeartbeat(pinged, now);
  assert.deepEqual(first.overdue, { outcome: 'failed', at: at + 15 * minute, intervalMs: -15 * minute, excuse: null });
  assert.equal(first.heartbeat.dueAt, now + 15 * minute + settleMs);
  assert.equal(evaluateHeartbeat(first.heartbeat, first.heartbeat.dueAt).overdue?.outcome, 'failed');
});

test('the time before a deadline counts as passed, and as failed from the deadline until the next ping', () => {
  const missed = evaluateHeartbeat(pinged, at + 15 * minute + settleMs);
  const again = evaluateHeartbeat(missed.heartbeat, missed.heartbeat.dueAt);
  const recovery = ping(again.heartbeat, at + 35 * minute);
  const sum = emptyRollUp();
  const add = (outcome: 'passed' | 'failed', intervalMs: number | null): void =>
    addResult(sum, { isFinal: true, outcome, slots: 1, intervalMs, responseUs: null });
  add('failed', missed.overdue?.intervalMs ?? null);
  add('failed', again.overdue?.intervalMs ?? null);
  add('passed', recovery.judged?.intervalMs ?? null);
  assert.deepEqual([sum.knownMs, sum.downMs], [35 * minute, 20 * minute]);
});

test('missing pings leave at least half of a list to received ones', () => {
  const event = (minutes: number, signal: 'ping' | 'missing') => ({ id: String(1000 + minutes), signal }) as PingEvent;
  const [received, missing] = [
    [3, 2, 1],
    [9, 8, 7, 6, 5],
  ].map((minutes, index) => minutes.map((each) => event(each, index === 0 ? 'ping' : 'missing')));
  const ids = (some: readonly PingEvent[], max: number) =>
    mixedPings(some, missing ?? [], max).map(({ id }) => Number(id) - 1000);
  assert.deepEqual(ids(received ?? [], 4), [9, 8, 3, 2]);
  assert.deepEqual(ids(received ?? [], 1), [3]);
  assert.deepEqual(ids([], 4), [9, 8, 7, 6]);
});

test('a heartbeat that is evaluated early is evaluated again at its deadline', () => {
  const moved = ping(pinged, at + 2 * minute).heartbeat;
  const inspected = evaluateHeartbeat(moved, moved.dueAt);
  assert.deepEqual([inspected.overdue, inspected.heartbeat.dueAt], [null, at + 17 * minute + settleMs]);
});

test('a paused heartbeat accepts pings and has no results', () => {
  const paused = { ...pinged, isActive: false };
  const step = ping(paused, at + 20 * minute);
  assert.deepEqual([step.state, step.judged], ['LATE', null]);
  assert.deepEqual(evaluateHeartbeat(step.heartbeat, at + 90 * minute).overdue, null);
  assert.equal(evaluateHeartbeat(step.heartbeat, at + 90 * minute).heartbeat.dueAt, neverAt);
});

test('a deadline during our own downtime is unknown and is extended by one period', () => {
  const gaps = [gap(8, 20)];
  const inspected = evaluateHeartbeat(pinged, at + 20 * minute, { gaps });
  assert.equal(inspected.overdue?.outcome, 'unknown');
  assert.equal(inspected.heartbeat.dueAt, at + 35 * minute + settleMs);
  assert.equal(evaluateHeartbeat(inspected.heartbeat, inspected.heartbeat.dueAt, { gaps }).overdue?.outcome, 'failed');
});

test('the time of a downtime is unknown to its end: the next ping does not count it as passed', () => {
  // Off for two days, with a deadline after 15 minutes of them.
  const back = 2 * 24 * 60;
  const { overdue, heartbeat } = evaluateHeartbeat(pinged, at + (back + 1) * minute, { gaps: [gap(5, back)] });
  assert.deepEqual(
    [overdue?.outcome, overdue?.at, overdue?.intervalMs],
    ['unknown', at + back * minute, back * minute],
  );
  const next = ping(heartbeat, at + (back + 10) * minute);
  assert.equal(next.judged?.intervalMs, 10 * minute);
  assert.equal(next.state, 'GRACE', 'expected a period after the downtime');
});

test('downtime while no ping was expected, or after the deadline, is no excuse', () => {
  const now = at + 20 * minute;
  for (const gaps of [gap(1, 4), gap(15, 19)]) {
    assert.equal(evaluateHeartbeat(pinged, now, { gaps: [gaps] }).overdue?.outcome, 'failed');
  }
});

test('a second excuse in a row requires downtime of at least half of the time in which a ping was expected', () => {
  const overdue = (gaps: readonly ReceptionGap[], change: Partial<Heartbeat> = {}) => {
    const excused = { ...pinged, ...change, isExcused: true };
    return evaluateHeartbeat(excused, at + 200 * minute, { gaps }).overdue?.outcome;
  };
  assert.equal(overdue([gap(9, 10)]), 'failed');
  assert.equal(overdue([gap(9, 15)]), 'unknown');
  assert.equal(overdue([gap(6, 9), gap(12, 14)]), 'unknown', 'gaps add up');
  assert.equal(overdue([gap(-60, 15, 10)]), 'failed', 'a restart every few seconds: 2 of 15 minutes');
  assert.equal(overdue([gap(-60, 15, 60)]), 'unknown', 'down for 12 of 15 minutes');
  assert.equal(overdue([gap(9, 15)], { graceMs: 100 * minute }), 'failed', 'the grace after the period was long');
});

test('in maintenance no ping is missing, and the next is expected a period later', () => {
  const now = at + 20 * minute;
  const inspected = evaluateHeartbeat(pinged, now, { isPaused: true });
  assert.equal(inspected.overdue?.outcome, 'unknown');
  assert.deepEqual([inspected.heartbeat.isPassing, inspected.heartbeat.dueAt], [true, now + 15 * minute + settleMs]);
});

test('a deadline is not evaluated before a newer heartbeat of the process that receives pings', () => {
  const now = at + 16 * minute;
  const inspected = evaluateHeartbeat(pinged, now, { receivingAt: at + 15 * minute - 1 });
  assert.equal(inspected.overdue, null);
  assert.deepEqual({ ...inspected.heartbeat, dueAt: pinged.dueAt }, pinged);
  assert.equal(evaluateHeartbeat(pinged, now, { receivingAt: at + 15 * minute }).overdue?.outcome, 'failed');
});
