// Tables for people.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut, tableLines, textWidth } from './table.ts';

const table = {
  titles: ['NAME', 'STATUS'],
  rows: [
    ['Cart of the shop in Zürich', { text: 'failing', style: 'red' }],
    ['検索', 'passing'],
    ['evil\u001b[2J\nname', 'passing'],
  ],
} as const;

test('a table that is no terminal shows every character, without colors and escape sequences', () => {
  assert.deepEqual(tableLines(table, null), [
    'NAME                        STATUS',
    'Cart of the shop in Zürich  failing',
    '検索                        passing',
    'evil\\u001b[2J name          passing',
  ]);
});

test('one column shrinks to the width of the terminal', () => {
  const lines = tableLines(table, 24);
  assert.deepEqual(lines.slice(0, 3), [
    'NAME             STATUS',
    'Cart of the sh…  failing',
    '検索             passing',
  ]);
  assert.ok(lines.every((line) => textWidth(line) <= 24));
});

test('wide and combining characters are counted as terminals show them', () => {
  assert.deepEqual(['a', '検', 'e\u0301', '🔥'].map(textWidth), [1, 2, 1, 2]);
  assert.equal(cut('検索検索', 5), '検索…');
});

test('a table may have many rows', () => {
  const rows = Array.from({ length: 200_000 }, (): [string, string] => ['a', 'b']);
  assert.equal(tableLines({ ...table, rows }, null).length, 200_001);
});
