// Pages of large rows are cut so that the next page begins where they end.
import assert from 'node:assert/strict';
import test from 'node:test';
import { rowsOfPage } from './page-bytes.ts';

const ofSize = (size: number, count: number): number[] => Array.from({ length: count }, () => size);

for (const [name, sizes, limit, rows] of [
  ['a page of small rows is complete', ofSize(1, 100), 100, 100],
  ['a short page is complete', ofSize(100, 1), 100, 100],
  ['an empty page is complete', [], 10, 10],
  ['a page of large rows is cut to a divisor of its size', ofSize(30, 100), 100, 2],
  ['a cut page has as many rows as fit if they divide its size', ofSize(25, 100), 100, 4],
  ['a row that is larger than a page is a page of its own', [1000, 1, 1], 3, 1],
  ['a page whose size has no divisor is cut to one row', ofSize(30, 97), 97, 1],
] as const) {
  test(name, () => assert.equal(rowsOfPage(sizes, limit, 100), rows));
}
