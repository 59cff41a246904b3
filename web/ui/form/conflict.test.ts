// What two people changed in one record is found field by field, and only what both changed is to be chosen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflictsOf, mergedDraft } from './conflict.ts';

const base = { name: 'Shop', tags: ['a'], request: { url: 'https://one.example/', method: 'GET' }, frequency: 5 };

test('fields that only they changed are taken, fields that both changed are asked for', () => {
  const theirs = { ...base, name: 'Theirs', tags: ['a', 'b'], request: { ...base.request, method: 'PUT' } };
  const mine = { ...base, name: 'Mine', frequency: 10, request: { ...base.request, url: 'https://two.example/' } };
  const conflicts = conflictsOf(base, theirs, mine);
  assert.deepEqual(conflicts, [
    { path: 'name', theirs: 'Theirs', mine: 'Mine', isOpen: true },
    { path: 'tags', theirs: ['a', 'b'], mine: ['a'], isOpen: false },
    { path: 'request.method', theirs: 'PUT', mine: 'GET', isOpen: false },
  ]);
  assert.deepEqual(mergedDraft(mine, conflicts), {
    name: 'Mine',
    tags: ['a', 'b'],
    request: { url: 'https://two.example/', method: 'PUT' },
    frequency: 10,
  });
});

test('the same change by both is no conflict, and an object that replaces nothing is one field', () => {
  const theirs = { ...base, name: 'Same', retryStrategy: { type: 'FIXED' } };
  const mine = { ...base, name: 'Same' };
  assert.deepEqual(conflictsOf(base, theirs, mine), [
    { path: 'name', theirs: 'Same', mine: 'Same', isOpen: false },
    { path: 'retryStrategy', theirs: { type: 'FIXED' }, mine: null, isOpen: false },
  ]);
});
