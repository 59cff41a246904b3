// Which needed check suppresses an alert, and for how long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NeededCheck, neededBy, suppressorOf } from './dependencies.ts';

const [now, minute] = [10_000_000, 60_000];
const failure = { startedAt: now, everyMs: minute };

function database(change: Partial<NeededCheck>): NeededCheck {
  const failing = { status: 'failing', judgedAt: now, recoveredAt: null } as const;
  return { checkId: 'd', name: 'Database', isActive: true, everyMs: minute, ...failing, ...change };
}

function isSuppressed(change: Partial<NeededCheck>, startedAt = now): boolean {
  return suppressorOf([database(change)], { ...failure, startedAt }, now) !== null;
}

test('a failing check suppresses until it is deactivated or has had no verdict for three intervals', () => {
  assert.deepEqual(suppressorOf([database({})], failure, now), { checkId: 'd', name: 'Database' });
  assert.equal(isSuppressed({ isActive: false }), false);
  assert.equal(isSuppressed({ everyMs: 10 * minute, judgedAt: now - 30 * minute }), true);
  assert.equal(isSuppressed({ everyMs: 10 * minute, judgedAt: now - 30 * minute - 1 }), false);
  assert.equal(isSuppressed({ everyMs: 10_000, judgedAt: now - 5 * minute }), true, 'at least five minutes');
  assert.equal(isSuppressed({ everyMs: 10_000, judgedAt: now - 5 * minute - 1 }), false);
});

test('a recovered check suppresses for an interval of the dependent, and results from before the recovery', () => {
  const passing = { status: 'passing' } as const;
  assert.equal(isSuppressed({ ...passing, recoveredAt: null }), false);
  assert.equal(isSuppressed({ ...passing, recoveredAt: now - minute + 1 }), true);
  assert.equal(isSuppressed({ ...passing, recoveredAt: now - minute }), false);
  assert.equal(isSuppressed({ ...passing, recoveredAt: now - minute }, now - minute), true);
  assert.equal(isSuppressed({ ...passing, recoveredAt: now + 1 }), false, 'the clock was set back');
  assert.equal(isSuppressed({ status: 'degraded' }), false);
});

test('a check needs those of its own list and of its group, unless the group names it', () => {
  assert.deepEqual(neededBy({ id: 'a', dependsOn: ['b'] }, { dependsOn: ['b', 'c'] }), ['b', 'c']);
  assert.deepEqual(neededBy({ id: 'c', dependsOn: ['b'] }, { dependsOn: ['c', 'd'] }), ['b']);
  assert.deepEqual(neededBy({ id: 'a', dependsOn: [] }, null), []);
});
