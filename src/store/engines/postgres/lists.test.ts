// Lists of values as PostgreSQL reads them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listOf } from './lists.ts';

test('numbers and nothing stand bare in a list, texts in quotes', () => {
  assert.equal(listOf([1, -2.5, null, undefined]), '{1,-2.5,NULL,NULL}');
  assert.equal(listOf(['', 'NULL', 'a,b {c}']), '{"","NULL","a,b {c}"}');
  assert.equal(listOf([]), '{}');
});

test('what means something in a list is escaped, and U+0000 becomes the sign for what is not known', () => {
  assert.equal(listOf([String.raw`say "\o/"`]), String.raw`{"say \"\\o/\""}`);
  assert.equal(listOf(['a\0"']), '{"a\ufffd\\""}');
});

test('bytes go as they are, each with its length before it', () => {
  assert.equal(
    Buffer.from(listOf([new Uint8Array([1, 171]), null, Buffer.alloc(0)])).toString('hex'),
    ['00000001', '00000001', '00000011', '00000003', '00000001', '00000002', '01ab', 'ffffffff', '00000000'].join(''),
  );
  assert.equal(listOf([null, new Uint8Array([0, 171])]), String.raw`{NULL,\\x00ab}`);
});

test('anything else is refused', () => {
  assert.throws(() => listOf([{}]), TypeError);
  assert.throws(() => listOf([true]), TypeError);
});
