// Following the link of each page reads every item once, also if pages are cut.
import assert from 'node:assert/strict';
import test from 'node:test';
import { nextPageLink } from './next-page.ts';

const url = '/v1/checks?limit=10&tag=a%26b&tag=c';

for (const [name, page, count, total, link] of [
  ['the last page has no link', 1, 10, 10, null],
  ['an empty page has no link', 3, 0, 10, null],
  ['a complete page names the next one', 1, 10, 11, '</v1/checks?limit=10&tag=a%26b&tag=c&page=2>; rel="next"'],
  [
    'a cut page names the page that begins after it',
    2,
    5,
    99,
    '</v1/checks?limit=5&tag=a%26b&tag=c&page=4>; rel="next"',
  ],
  ['a page that lost an item names the next one', 2, 9, 99, '</v1/checks?limit=10&tag=a%26b&tag=c&page=3>; rel="next"'],
] as const) {
  test(name, () => assert.equal(nextPageLink(url, { limit: 10, page }, count, total), link));
}
