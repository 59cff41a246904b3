// Array literals for PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listOf } from './lists.ts';

test('numbers and null are unquoted in a list, texts are quoted', () => {
  assert.equal(listOf([1, -2.5, null, undefined]), '{1,-2.5,NULL,NULL}');
  assert.equal(listOf(['', 'NULL', 'a,b {c}']), '{"","NULL","a,b {c}"}');
  assert.equal(listOf([]), '{}');
});

test('special characters are escaped, and U+0000 becomes the replacement character', () => {
  assert.equal(listOf([String.raw`say "\o/"`]), String.raw`{"say \"\\o/\""}`);
  assert.equal(listOf(['a\0"']), '{"a\ufffd\\""}');
});

test('bytes are unchanged, each value preceded by its length', () => {
  assert.equal(
    Buffer.from(listOf([new Uint8Array([1, 171]), null, Buffer.alloc(0)])).toString('hex'),
    ['00000001', '00000001', '00000011', '00000003', '00000001', '00000002', '01ab', 'ffffffff', '00000000'].join(''),
  );
  assert.equal(listOf([null, new Uint8Array([0, 171])]), String.raw`{NULL,\\x00ab}`);
});

test('rejects any other type', () => {
  assert.throws(() => listOf([{}]), TypeError);
  assert.throws(() => listOf([true]), TypeError);
});
