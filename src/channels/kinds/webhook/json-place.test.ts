// Finds the same JSON errors as JSON.parse, with their place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonFault } from '#lib/schema/json-place.ts';
import { isJson } from './render.ts';

const faults: readonly (readonly [text: string, line: number, column: number, wanted: string])[] = [
  ['', 1, 1, 'a value'],
  ['{"name": Shop }', 1, 10, 'a value'],
  ['["shop","env",]', 1, 15, 'a value'],
  ['{"a": 1,}', 1, 9, 'a quoted name'],
  ['{a: 1}', 1, 2, 'a quoted name or }'],
  ['{"a" 1}', 1, 6, 'a colon'],
  ['{"a": 1\n "b": 2}', 2, 2, 'a comma or }'],
  ['["a" "b"]', 1, 6, 'a comma or ]'],
  ['{"a": [1', 1, 9, 'a comma or ]'],
  ['{}\n{}', 2, 1, 'the end of the text'],
  ['{"a": "two\nlines"}', 1, 7, 'a closed string without line breaks or unknown escapes'],
  ['[01]', 1, 3, 'a comma or ]'],
];
for (const [text, line, column, wanted] of faults) {
  test(`${JSON.stringify(text)} expects ${wanted} in line ${line}, column ${column}`, () => {
    assert.deepEqual(jsonFault(text), { line, column, wanted });
  });
}

test('agrees with JSON.parse', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"',
    '1',
    '-0.5e+3',
    '01',
    'true',
    'nul',
    ' ',
    '\n',
    '\\',
    '"\\u00e9"',
    '"\\x"',
  ];
  let seed = 42;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  let valid = 0;
  for (let round = 0; round < 20_000; round++) {
    let text = '';
    for (let left = 1 + next(6); left > 0; left--) text += pieces[next(pieces.length)] ?? '';
    assert.equal(jsonFault(text) === null, isJson(text), JSON.stringify(text));
    if (isJson(text)) valid++;
  }
  assert.ok(valid > 500, `${valid} were valid`);
});

test('handles many open brackets and long text without recursion', () => {
  assert.equal(jsonFault('['.repeat(200_000))?.column, 200_001);
  assert.equal(jsonFault(`"${'x'.repeat(250_000)}"`), null);
  assert.equal(jsonFault(`${'['.repeat(50_000)}${']'.repeat(50_000)}`), null);
});

test('a long text is JSON if a parser accepts it, whatever its brackets', () => {
  const many = 9_000;
  const string = JSON.stringify(`[{"\\${'['.repeat(many)}\\"`);
  const texts = [
    '['.repeat(many),
    '[{"a":'.repeat(many),
    `${'['.repeat(many)}${']'.repeat(many)}`,
    `${'['.repeat(many)}${']'.repeat(many - 1)}`,
    `${'['.repeat(many)}${']'.repeat(many + 1)}`,
    string,
    `{"text":${string}}`,
    `[${string},{"a":[]}] `,
    string.slice(0, -1),
    `[${'1,'.repeat(many)}1]`,
    '[]'.repeat(many),
  ];
  const tooDeep = `${'['.repeat(10_001)}${']'.repeat(10_001)}`;
  assert.equal(isJson(tooDeep), false, 'no receiver reads it');
  const isParsed = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  assert.deepEqual(
    texts.map((text) => isJson(text)),
    texts.map((text) => isParsed(text)),
  );
  assert.equal(texts.filter((text) => isJson(text)).length, 5);
});
