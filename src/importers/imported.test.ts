// Imports of hostile files: names that many have, and names of what every object has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDraft } from './imported.ts';
import { monitorCheck } from './kuma/monitor-check.ts';

test('logical IDs of a name that many have are unique, and take no longer', () => {
  const draft = createDraft('csv');
  const source = { from: 'n', kind: 'line' };
  const startedAt = performance.now();
  draft.add('checks', 'n-3', {}, source);
  const ids = Array.from({ length: 100_000 }, () => draft.add('checks', 'N!', {}, source));
  assert.deepEqual(ids.slice(0, 4), ['n', 'n-2', 'n-4', 'n-5']);
  assert.equal(new Set(ids).size, 100_000);
  // Counting from the beginning for each takes minutes.
  assert.ok(performance.now() - startedAt < 20_000);
});

test('a type and an operator with a name that every object has are unknown', () => {
  const notes: string[] = [];
  assert.equal(monitorCheck({ type: 'constructor' }, [], notes), null);
  const operator = { type: 'json-query', url: 'http://x.example/', json_path: 'a', json_path_operator: 'constructor' };
  monitorCheck(operator, [], notes);
  assert.match(notes[0] ?? '', /no check of the type constructor/);
  assert.ok(
    notes.includes('deactivated: the operator constructor has no counterpart; add an assertion, then activate it'),
  );
});
