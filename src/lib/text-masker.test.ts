// What is hidden of many texts in a text.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createMasker } from './text-masker.ts';

test('texts of any length are hidden in any case, and what is beside them stays', () => {
  const hide = createMasker(['a', 'Bcd', 'long enough to have a key'], '*');
  assert.equal(hide('xyz'), 'xyz');
  assert.equal(hide('A-bCD-xbc'), '*-*-xbc');
  assert.equal(hide('(LONG ENOUGH to have a key)'), '(*)');
  assert.equal(hide(''), '');
});

test('texts that overlap or hold each other leave no rest behind', () => {
  const hide = createMasker(['abc', 'bcdefgh', 'bcd'], '*');
  assert.equal(hide('1abcdefgh2'), '1*2');
  assert.equal(hide('abcabc'), '**');
  assert.equal(hide('bcdefg'), '*efg');
});

test('a character that becomes two in lower case moves nothing', () => {
  assert.equal(createMasker(['secret'], '*')('İİ secret İ'), 'İİ * İ');
});

test('thousands of long texts are hidden in time and memory', () => {
  const texts = Array.from({ length: 5000 }, (_, index) => `${index}-${'aB3$/+ é'.repeat(500)}`);
  const hide = createMasker(texts, '*');
  assert.equal(hide(`x ${texts[4999]} y ${texts[17]?.toUpperCase()}`), 'x * y *');
});
