// Words that CONTRIBUTING.md asks writers to avoid.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Expressions to avoid, and what to write instead. */
const words: Readonly<Record<string, string>> = {
  whoever: 'the actor, or "anyone who"',
  'under way': '"in progress" or "running"',
  '(?:hears?|heard) of': '"receives"',
  '(?:is|are|was|were|be) told': '"is notified", "receives" or "is reported"',
  'told (?:of|about)': '"notified of"',
  'mend(?:s|ed|ing)?': '"fix"',
  'signs? of life': '"heartbeat"',
  'for ever': '"forever" or "indefinitely"',
  'in vain': 'what was not found',
  'as it stands': '"current"',
  'leftovers|wishes|letgo': 'the standard term',
  'so many at once': '"up to"',
  'comes? to its end': '"ends"',
  'out of turn': '"unexpectedly"',
};

const files = [
  '{README,CHANGELOG,CONTRIBUTING}.md',
  'docs/**/*.{md,ts,py,go,php}',
  '{src,web,bench,tests,tooling}/**/*.{ts,tsx,mjs,cjs,sh,css,html}',
  'deploy/**/*.{yaml,sql,md}',
  'bin/*',
  'tests/conformance.md',
];

test('texts use standard terms', () => {
  const found: string[] = [];
  for (const file of globSync(files, { exclude: ['**/node_modules/**', '**/words.test.ts'] })) {
    const text = readFileSync(file, 'utf8');
    for (const [expression, instead] of Object.entries(words)) {
      for (const { 0: word, index } of text.matchAll(new RegExp(`(?<![\\w-])(?:${expression})(?![\\w-])`, 'gi'))) {
        found.push(`${file}:${text.slice(0, index).split('\n').length}: "${word}": use ${instead}`);
      }
    }
  }
  assert.deepEqual(found, []);
});
