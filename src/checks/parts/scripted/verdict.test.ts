// Verdicts of scripts that depend on Tocsin's own machine.
import assert from 'node:assert/strict';
import test from 'node:test';
import { programLimits, type ScriptOutcome } from '#domain/checks/script.ts';
import { judgeScript } from './verdict.ts';

const nothing = { errors: [], steps: [], openStep: null, flaky: [], log: [], pageLines: [], pageVitals: [] };
const failed: ScriptOutcome = {
  ...nothing,
  ending: 'ended',
  problem: null,
  startedAt: 0,
  stoppedAt: 1000,
  testsMs: 10,
  tests: 1,
  failedTests: 1,
  left: null,
  assets: [],
  leftOut: [],
};

function verdictOf(change: Partial<ScriptOutcome>): string {
  const { verdict, reason } = judgeScript({ ...failed, ...change }, programLimits, [], (text) => text);
  return `${verdict} ${reason}`;
}

test('a script that the machine did not let run for half of its time is unknown at its time limit', () => {
  const half = programLimits.wallClockMs / 2;
  assert.equal(verdictOf({ ending: 'deadline', waitedMs: half }), 'unknown observer-slow');
  assert.equal(verdictOf({ ending: 'deadline', waitedMs: half - 1 }), 'failed deadline');
  assert.equal(verdictOf({ waitedMs: half }), 'failed script');
  const { message } = judgeScript({ ...failed, ending: 'deadline', waitedMs: half }, programLimits, [], (text) => text);
  assert.equal(message, 'no verdict: the script waited for a processor for 60 s of its 120 s');
});

test('a script that failed or was cut off while our name servers did not answer is unknown', () => {
  assert.equal(verdictOf({ isResolverDown: true }), 'unknown resolver');
  assert.equal(verdictOf({ ending: 'deadline', isResolverDown: true }), 'unknown resolver');
  assert.equal(verdictOf({}), 'failed script');
  assert.equal(verdictOf({ ending: 'deadline' }), 'failed deadline');
});

test('a failed script is one sentence, without the log of calls', () => {
  const message = "TimeoutError: locator.click: Timeout 300ms exceeded.\nCall log:\n  - waiting for locator('#a')";
  const errors = [{ message, place: null }];
  const judged = judgeScript({ ...failed, errors }, programLimits, [], (text) => text);
  assert.equal(judged.message, 'TimeoutError: locator.click: Timeout 300ms exceeded.');
});
