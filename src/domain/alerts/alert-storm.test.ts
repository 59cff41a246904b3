// Start and end of an alert storm, and due times of its digests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countedFrom, digestDueAt, digestThresholdOf, isOver, latestDueAt } from './alert-storm.ts';

const now = Date.UTC(2026, 2, 10, 12);
const [second, minute] = [1000, 60_000];

test('the threshold is 20 checks by default, and 0 switches digests off', () => {
  assert.equal(digestThresholdOf(null), 20);
  assert.equal(digestThresholdOf({ reminders: {} }), 20);
  assert.equal(digestThresholdOf({ digestThreshold: 3 }), 3);
  assert.equal(digestThresholdOf({ digestThreshold: 0 }), null);
});

test('alerts of the last minute count, without those of the previous storm', () => {
  assert.equal(countedFrom({ endedAt: null }, now), now - minute);
  assert.equal(countedFrom({ endedAt: now - 5 * minute }, now), now - minute);
  assert.equal(countedFrom({ endedAt: now - second }, now), now - second);
  assert.equal(countedFrom({ endedAt: now + minute }, now), now - minute, 'the clock was set back');
});

test('a digest waits a minute for more alerts, and ten minutes after the previous digest', () => {
  assert.equal(digestDueAt(undefined, now), now + minute);
  assert.equal(digestDueAt({ digestId: null, sentAt: null }, now), now + minute);
  assert.equal(digestDueAt({ digestId: null, sentAt: now - minute }, now), now + 9 * minute);
  assert.equal(digestDueAt({ digestId: null, sentAt: now - 20 * minute }, now), now + minute);
  assert.equal(digestDueAt({ digestId: null, sentAt: now + minute }, now), now + minute, 'the clock was set back');
  assert.ok(digestDueAt({ digestId: null, sentAt: now }, now) <= latestDueAt(now));
});

test('a storm is over after a calm minute with few failing checks, and after a calm hour with any', () => {
  const over = (calmMs: number, failing: number, threshold: number | null = 20): boolean =>
    isOver({ lastAlertAt: now - calmMs, failing, threshold }, now);
  assert.equal(over(59 * second, 0), false);
  assert.equal(over(minute, 9), true);
  assert.equal(over(minute, 10), false);
  assert.equal(over(59 * minute, 10), false);
  assert.equal(over(60 * minute, 500), true);
  assert.equal(over(minute, 0, 1), true);
  assert.equal(over(minute, 1, 1), false);
  assert.equal(over(0, 500, null), true, 'switched off');
  assert.equal(over(-minute, 500), true, 'the clock was set back');
});
