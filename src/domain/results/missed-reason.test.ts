// Why a run did not take place: only what no known cause explains is called overload.
import assert from 'node:assert/strict';
import test from 'node:test';
import { clockSetWhileStopped, missedReason, type MissedFacts } from './missed-reason.ts';

const nothing: MissedFacts = { startedAt: 1000, clockSet: null, isStoreAway: () => false };
const minute = 60_000;
const run = { from: 10 * minute, to: 11 * minute };
const reasonOf = (facts: Partial<MissedFacts>, period = run) => missedReason(period, { ...nothing, ...facts });

test('a run that ended before this process started was missed by downtime', () => {
  assert.equal(reasonOf({ startedAt: 11 * minute }), 'downtime');
  assert.equal(reasonOf({ startedAt: 10 * minute + 1 }, { from: 10 * minute, to: 10 * minute }), 'downtime');
  assert.equal(reasonOf({ startedAt: 10 * minute }, { from: 10 * minute, to: 10 * minute }), 'overload');
});

test('a run that waited when the clock was set forward was missed because of the clock, not of load or downtime', () => {
  const clockSet = { from: 10.5 * minute, to: 70 * minute };
  assert.equal(reasonOf({ clockSet }), 'clock');
  assert.equal(reasonOf({ clockSet, startedAt: 70 * minute }), 'clock');
  assert.equal(reasonOf({ clockSet: { from: 12 * minute, to: 72 * minute } }), 'overload');
});

test('a run that waited for the database was not missed because of load', () => {
  assert.equal(reasonOf({ isStoreAway: (from, to) => from === run.from && to === run.to }), 'store');
  assert.equal(reasonOf({ isOverlap: true, isStoreAway: () => true }), 'overlap');
  assert.equal(reasonOf({}), 'overload');
});

test('a clock set forward while this process was stopped is known by the time that really passed', () => {
  const stopped = (stoppedMs: number | null) => clockSetWhileStopped({ from: 0, to: 60 * minute, stoppedMs });
  assert.deepEqual([stopped(null), stopped(60 * minute), stopped(59.5 * minute)], [null, null, null]);
  assert.deepEqual(stopped(5000), { from: 0, to: 60 * minute });
  assert.deepEqual(stopped(10 * minute), { from: 10 * minute, to: 60 * minute });
});
