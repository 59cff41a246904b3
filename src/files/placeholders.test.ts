// Placeholders in texts of files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { escaped, filled } from './placeholders.ts';

const fill = (text: string): { text: string; problems: string[] } => {
  const problems: string[] = [];
  const values: Readonly<Record<string, string>> = { TOKEN: 'a ${env:OTHER} $& b' };
  return {
    text: filled(
      text,
      (name) => values[name],
      (message) => problems.push(message),
    ),
    problems,
  };
};

test('a placeholder is replaced once, and a missing variable is an error', () => {
  assert.deepEqual(fill('Bearer ${env:TOKEN}!'), { text: 'Bearer a ${env:OTHER} $& b!', problems: [] });
  assert.deepEqual(fill('${env:OTHER}').problems, ['the environment variable OTHER is not set']);
  for (const text of ['${env:}', '${env:a b}', '${env:TOKEN', '${env:\nTOKEN}']) {
    assert.match(fill(text).problems[0] ?? '', /must contain the name of a variable/, text);
  }
});

test('two dollar signs stand for one, and other text stays', () => {
  for (const [text, expected] of [
    ['$${env:TOKEN}', '${env:TOKEN}'],
    ['$$${x}', '$${x}'],
    ['`${x}` costs $5, $$5, {{TOKEN}}', '`${x}` costs $5, $$5, {{TOKEN}}'],
  ] as const) {
    assert.deepEqual(fill(text), { text: expected, problems: [] });
  }
});

test('any text that is escaped stays as it is', () => {
  const part = fc.constantFrom('$', '{', 'env:', 'TOKEN', '}', 'x', '\n');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      assert.deepEqual(fill(escaped(text)), { text, problems: [] });
    }),
  );
});
