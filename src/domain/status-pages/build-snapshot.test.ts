// How much of an account's incidents a page publishes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostText, withinText } from './build-snapshot.ts';
import type { PublicIncident } from './page-snapshot.ts';

test('a page has the first incidents whose texts fit, and none beyond', () => {
  const incident = (id: string, length: number): PublicIncident => ({
    id,
    name: id,
    severity: 'MAJOR',
    status: 'RESOLVED',
    serviceIds: [],
    startedAt: 0,
    resolvedAt: 1,
    publishedAt: 0,
    isBackdated: false,
    postmortem: 'x'.repeat(length - 1),
    updates: [{ id, status: 'RESOLVED', description: 'x', at: 1 }],
  });
  const idsOf = (...lengths: readonly number[]) =>
    withinText(lengths.map((length, index) => incident(String(index), length))).map(({ id }) => id);
  assert.deepEqual(idsOf(mostText - 10, 10), ['0', '1']);
  assert.deepEqual(idsOf(mostText - 10, 11, 5), ['0']);
});
