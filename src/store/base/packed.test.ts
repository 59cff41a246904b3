// Compact documents decode to their original and are smaller than its text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as holds, jsonValue, property } from 'fast-check';
import type { JsonValue } from '#domain/json.ts';
import { packed, unpacked } from './packed.ts';

test('every JSON value decodes unchanged', () => {
  holds(
    property(jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
      assert.deepEqual(unpacked(packed(plain)), plain);
    }),
  );
});

test('texts that look like numbers or addresses stay exactly the same texts', () => {
  const texts = ['0', '200', '007', '-1', '1.5', '999999999999999', '9999999999999999', '1e3', ' 1', '', '10.1.2.3'];
  const odd = [
    '10.1.2.03',
    '10.1.2.256',
    '10.1.2',
    '10.1.2.3.',
    '1.2.3.4.5',
    '255.255.255.255',
    '0.0.0.0',
    'ü'.repeat(40),
  ];
  for (const text of [...texts, ...odd]) assert.equal(unpacked(packed(text)), text);
});

test('numbers of any size decode exactly', () => {
  for (const number of [0, 127, 128, 16_384, 2 ** 53 - 1, 2 ** 53, -1, -(2 ** 40), 0.1, 1e300, -0.5, 5e-324])
    assert.equal(unpacked(packed(number)), number);
});

test('long lists, objects and texts decode unchanged', () => {
  const value = { list: Array.from({ length: 300 }, (_, index) => index), text: 'x'.repeat(100_000) };
  const wide = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`name ${index}`, index]));
  assert.deepEqual(unpacked(packed({ ...value, wide })), { ...value, wide });
});

test('a name with a meaning in JavaScript is an ordinary name', () => {
  const value = JSON.parse('{"__proto__":1,"constructor":2}') as JsonValue;
  assert.equal(JSON.stringify(unpacked(packed(value))), '{"__proto__":1,"constructor":2}');
});

test('the details of a result take little more than half the size of their text', () => {
  const details = [
    200,
    '203.0.113.17',
    6622,
    13_576,
    12_518,
    205_007,
    13_821,
    310,
    1854,
    [
      [1, '200'],
      [66, '2000'],
    ],
  ];
  const share = packed(details).length / JSON.stringify(details).length;
  assert.equal(share < 0.6, true, `share ${share}`);
});

test('rejects truncated bytes and bytes of another format', () => {
  const bytes = packed({ text: 'a text of some length', list: [1, 2, 3] });
  assert.throws(() => unpacked(bytes.subarray(0, 12)), /cut off/);
  assert.throws(() => unpacked(Uint8Array.of(0xff)), /code 255/);
});
