// Which checks a check needs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neededBy } from './check-group.ts';

test('a check needs those of its own list and of its group, unless the group names it', () => {
  assert.deepEqual(neededBy({ id: 'a', dependsOn: ['b'] }, { dependsOn: ['b', 'c'] }), ['b', 'c']);
  assert.deepEqual(neededBy({ id: 'c', dependsOn: ['b'] }, { dependsOn: ['c', 'd'] }), ['b']);
  assert.deepEqual(neededBy({ id: 'a', dependsOn: [] }, null), []);
});
