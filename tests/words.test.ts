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

/** Expressions to avoid in documentation and in texts of the web UI, and what to write instead. */
const readWords: Readonly<Record<string, string>> = {
  'text messages?': '"SMS"',
  'telephones?': '"phone"',
  'wins? over': '"override"',
  'whatever the \\w+': '"even if"',
  'failing time': '"downtime"',
  'time unknown|known time': '"gap", "monitored time"',
  '\\d+(?:\\.\\d+)? %': 'no space before %',
  'answers? [45]\\d\\d|answered [45]\\d\\d': '"returns"',
  'take back|take an? \\w+ back': '"remove"',
  'week (?:before|after)': '"previous week" or "next week"',
  'keeps? (?:its|their) distance': 'what moves with what',
  'open the result|show (?:the )?result': '"View result"',
};

const readFiles = ['README.md', 'docs/*.md', 'web/**/strings.ts', 'src/channels/parts/*.ts'];

const files = [
  '{README,CHANGELOG,CONTRIBUTING}.md',
  'docs/**/*.{md,ts,py,go,php}',
  '{src,web,bench,tests,tooling}/**/*.{ts,tsx,mjs,cjs,sh,css,html}',
  'deploy/**/*.{yaml,sql,md}',
  'bin/*',
  'tests/conformance.md',
];

/** Places of expressions in files. */
function placesOf(words: Readonly<Record<string, string>>, patterns: readonly string[]): string[] {
  const found: string[] = [];
  for (const file of globSync(patterns, { exclude: ['**/node_modules/**', '**/words.test.ts'] })) {
    const text = readFileSync(file, 'utf8');
    for (const [expression, instead] of Object.entries(words)) {
      for (const { 0: word, index } of text.matchAll(new RegExp(`(?<![\\w-])(?:${expression})(?![\\w-])`, 'gi'))) {
        found.push(`${file}:${text.slice(0, index).split('\n').length}: "${word}": use ${instead}`);
      }
    }
  }
  return found;
}

test('texts use standard terms', () => {
  assert.deepEqual(placesOf(words, files), []);
});

test('documentation, pages and messages use the words of their readers', () => {
  assert.deepEqual(placesOf(readWords, readFiles), []);
});
