// The nearest of the known names, for hints in refusals.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName, suggestion } from './nearest.ts';

test('the nearest name is found whatever the case and one or two slips', () => {
  const known = ['uppercase', 'lowercase', 'CHECK_NAME', 'eq'];
  assert.equal(nearestName('upercase', known), 'uppercase');
  assert.equal(nearestName('check_nam', known), 'CHECK_NAME');
  assert.equal(suggestion('lowercas', known), ' (did you mean lowercase?)');
});

test('the beginning of a name is enough, if it is not too short', () => {
  assert.equal(nearestName('upper', ['lowercase', 'uppercase']), 'uppercase');
  assert.equal(nearestName('upper', new Set(['uppercase']).keys()), 'uppercase', 'of names that come one by one');
  assert.equal(nearestName('trun', ['truncateWords', 'truncate']), 'truncate');
  assert.equal(nearestName('up', ['uppercase']), null);
});

test('nothing is suggested when no name is near', () => {
  assert.equal(nearestName('teleport', ['eq', 'gt', 'each']), null);
  assert.equal(suggestion('x'.repeat(10_000), ['eq']), '');
});
