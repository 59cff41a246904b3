// Suggests the nearest known name in error messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName, suggestion } from './nearest.ts';

test('finds the nearest name in any case with one or two typos', () => {
  const known = ['uppercase', 'lowercase', 'CHECK_NAME', 'eq'];
  assert.equal(nearestName('upercase', known), 'uppercase');
  assert.equal(nearestName('check_nam', known), 'CHECK_NAME');
  assert.equal(suggestion('lowercas', known), ' (did you mean lowercase?)');
});

test('a prefix is enough, if it is not too short', () => {
  assert.equal(nearestName('upper', ['lowercase', 'uppercase']), 'uppercase');
  assert.equal(nearestName('upper', new Set(['uppercase']).keys()), 'uppercase', 'from an iterator');
  assert.equal(nearestName('trun', ['truncateWords', 'truncate']), 'truncate');
  assert.equal(nearestName('up', ['uppercase']), null);
});

test('suggests nothing if no name is near', () => {
  assert.equal(nearestName('teleport', ['eq', 'gt', 'each']), null);
  assert.equal(suggestion('x'.repeat(10_000), ['eq']), '');
});
