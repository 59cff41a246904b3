// Phone companies charge by segment: an emoji makes a text more expensive, and is not split.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { segmentsOf } from './telephone-kinds.ts';

test('a text takes as many messages as phone companies charge', () => {
  const cases: readonly [string, number, boolean][] = [
    ['', 1, false],
    ['a'.repeat(160), 1, false],
    ['a'.repeat(161), 2, false],
    ['a'.repeat(306), 2, false],
    ['a'.repeat(307), 3, false],
    ['[up]', 1, false],
    [`${'a'.repeat(159)}€`, 2, false],
    // The euro sign takes two and does not fit in the first message.
    [`${'a'.repeat(152)}€${'a'.repeat(151)}`, 2, false],
    [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 3, false],
    ['ж'.repeat(70), 1, true],
    ['ж'.repeat(71), 2, true],
    ['😀'.repeat(35), 1, true],
    ['😀'.repeat(36), 2, true],
    ['😀'.repeat(67), 3, true],
  ];
  for (const [text, count, isUnicode] of cases) assert.deepEqual(segmentsOf(text), { count, isUnicode }, text);
});
