// Masking of many and long values.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createRedactor, mask } from './redact.ts';

test('masks any number of values of any length, without partial remains', () => {
  const long = Array.from({ length: 5 }, () => randomBytes(45_000).toString('base64'));
  const many = Array.from({ length: 2000 }, () => randomBytes(20).toString('base64'));
  const { text } = createRedactor([...long, ...many]);
  const all = [...long, ...many].join('\n');
  assert.equal(text(`a\n${all}\nb`), `a\n${[...long, ...many].map(() => mask).join('\n')}\nb`);
  assert.equal(text(`a ${long[0]?.slice(0, 30_000)}`), `a ${mask}`);
  assert.equal(text(many[7]?.toUpperCase() ?? ''), mask);
  assert.equal(text(Buffer.from(long[3] ?? '').toString('base64')), mask);
});

test('masks the longer of two values with a common beginning', () => {
  const beginning = 'x'.repeat(9000);
  const { text } = createRedactor([`${beginning}short`, `${beginning}and longer`]);
  assert.equal(text(`${beginning}and longer`), mask);
  assert.equal(text('plain'), 'plain');
});

test('masks a value in an unencoded URL', () => {
  const { text } = createRedactor(['pass|word <one>', 'x/../..', 'hush?a b#c']);
  for (const value of ['pass|word <one>', 'hush?a b#c'])
    assert.equal(text(new URL(`http://shop.example/${value}`).href), `http://shop.example/${mask}`, value);
  assert.equal(text('GET /orders'), 'GET /orders');
});
