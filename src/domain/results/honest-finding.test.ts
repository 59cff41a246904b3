// Effect of thread delays on a finding: times that may include one are omitted, other observations are not.
import assert from 'node:assert/strict';
import test from 'node:test';
import { honestFinding as withThreadDelay, type ThreadDelay, marginOfLimit } from './honest-finding.ts';
import { bareFinding, type Finding } from './result.ts';

const status: Finding = {
  ...bareFinding(1, { verdict: 'failed', reason: 'status', message: 'got 500' }),
  responseTimeMs: 900,
};
const timeout: Finding = {
  ...bareFinding(1, { verdict: 'failed', reason: 'timeout', message: 'no answer' }),
  timeMarginMs: marginOfLimit(30_000),
};
const honestFinding = (finding: Finding, threadDelay: ThreadDelay) =>
  withThreadDelay(finding, threadDelay, () => 'without times');
const once = (ms: number) => ({ longestMs: ms, addedMs: ms });

test('a received status is valid after any delay, without its time', () => {
  assert.deepEqual(honestFinding(status, once(812.4)), {
    ...status,
    responseTimeMs: null,
    details: 'without times',
    loopDelayMs: 812.4,
  });
  assert.deepEqual(honestFinding(status, once(150)), { ...status, loopDelayMs: 150 });
});

test('a pass stays a pass without its time, and keeps a time that the delay cannot have affected', () => {
  const passed: Finding = { ...status, verdict: 'passed', reason: null, message: null, responseTimeMs: 42 };
  assert.equal(honestFinding(passed, once(40)).responseTimeMs, 42);
  const late = honestFinding(passed, { longestMs: 30, addedMs: 130 });
  assert.deepEqual([late.verdict, late.responseTimeMs], ['passed', null]);
});

test('a timeout is unknown if the delay exceeds half a second, or half of a shorter limit', () => {
  const believed = honestFinding(timeout, once(500));
  assert.deepEqual([believed.verdict, believed.reason, 'timeMarginMs' in believed], ['failed', 'timeout', false]);
  const withheld = honestFinding(timeout, once(812.4));
  assert.deepEqual([withheld.verdict, withheld.reason], ['unknown', 'observer-slow']);
  assert.equal(withheld.message, 'no verdict: Tocsin itself was delayed by up to 812 ms during this run');
  const short: Finding = { ...timeout, timeMarginMs: marginOfLimit(100) };
  assert.equal(honestFinding(short, once(60)).verdict, 'unknown');
});

test('a verdict about a slow response is valid if it is too slow even without the delay', () => {
  const slow: Finding = { ...status, verdict: 'degraded', reason: 'slow', responseTimeMs: 5200, timeMarginMs: 200 };
  assert.equal(honestFinding(slow, once(150)).verdict, 'degraded');
  assert.equal(honestFinding(slow, once(250)).verdict, 'unknown');
  const mostlyOurs = honestFinding({ ...slow, message: 'answered after 5.2 s', timeMarginMs: 4000 }, once(1500));
  const { verdict, responseTimeMs, message } = mostlyOurs;
  const reported = 'answered after 5.2 s (Tocsin itself was delayed by up to 1500 ms)';
  assert.deepEqual([verdict, responseTimeMs, message], ['degraded', null, reported]);
});

test('the times of a run without a response are omitted, too', () => {
  const refused = {
    ...bareFinding(1, { verdict: 'failed', reason: 'connect', message: 'refused' }),
    stoppedAt: 301,
  } as const;
  assert.equal(honestFinding(refused, once(90)).details, null);
  assert.deepEqual(honestFinding(refused, once(101)), { ...refused, loopDelayMs: 101, details: 'without times' });
});

test('a delay between measurements changes no time', () => {
  const idle = { longestMs: 4000, addedMs: 0 };
  assert.deepEqual([honestFinding(timeout, idle).verdict, honestFinding(status, idle).responseTimeMs], ['failed', 900]);
});
