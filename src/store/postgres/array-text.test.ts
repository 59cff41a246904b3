import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayText } from './array-text.ts';

test('numbers, bytes and nothing stand bare in a list, texts in quotes', () => {
  assert.equal(arrayText([1, -2.5, null, undefined]), '{1,-2.5,NULL,NULL}');
  assert.equal(arrayText([new Uint8Array([0, 171]), Buffer.from('\\"')]), String.raw`{\\x00ab,\\x5c22}`);
  assert.equal(arrayText(['', 'NULL', 'a,b {c}']), '{"","NULL","a,b {c}"}');
  assert.equal(arrayText([]), '{}');
});

test('what means something in a list is escaped, and U+0000 becomes the sign for what is not known', () => {
  assert.equal(arrayText([String.raw`say "\o/"`]), String.raw`{"say \"\\o/\""}`);
  assert.equal(arrayText(['a\0"']), '{"a\ufffd\\""}');
});

test('anything else is refused', () => {
  assert.throws(() => arrayText([{}]), TypeError);
  assert.throws(() => arrayText([true]), TypeError);
});
