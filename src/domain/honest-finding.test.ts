// A finding of a thread that was held up is withheld, not believed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { honestFinding } from './honest-finding.ts';
import type { Finding } from './result.ts';

const failed: Finding = {
  verdict: 'failed',
  reason: 'timeout',
  message: 'no answer',
  startedAt: 1,
  stoppedAt: 2,
  responseTimeMs: null,
  loopDelayMs: 0,
  details: [200],
  exchange: null,
  certificate: null,
};

test('a finding carries the hold-up of its thread, and keeps its verdict up to the bound', () => {
  assert.deepEqual(honestFinding(failed, 500), { ...failed, loopDelayMs: 500 });
});

test('above the bound the verdict is withheld, failed or passed, and what was seen is kept', () => {
  for (const verdict of ['failed', 'passed'] as const) {
    const finding = honestFinding({ ...failed, verdict }, 812.4);
    assert.deepEqual([finding.verdict, finding.reason, finding.details], ['unknown', 'observer-slow', [200]]);
    assert.equal(finding.message, 'this machine was held up for 812 ms while it looked, so its verdict is withheld');
  }
});
