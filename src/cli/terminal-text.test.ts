// Text of servers and targets on a terminal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine, safeJson, withoutControls } from './terminal-text.ts';

const hostile = 'a\u001b[2J\u009b31m\u202eb\u0007\r';

test('control characters and changes of direction become visible, and tabs and line feeds stay', () => {
  assert.equal(withoutControls(hostile), 'a\\u001b[2J\\u009b31m\\u202eb\\u0007\\u000d');
  assert.equal(withoutControls('a\nb\tc é'), 'a\nb\tc é');
});

test('a text on one line has no line feeds', () => {
  assert.equal(oneLine(' a\r\n\tb\u001b '), 'a b\\u001b');
});

test('JSON is safe on a terminal and keeps its values', () => {
  const text = safeJson({ name: hostile }, 2);
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.deepEqual(JSON.parse(text), { name: hostile });
});
