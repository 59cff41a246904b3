// Names of pages of the documentation in texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docsParts } from './docs-links.ts';

test('names of pages lead to the page, and to the words of the heading', () => {
  assert.deepEqual(docsParts('Fix it. See docs/operating.md#watch-tocsin.'), [
    { part: 'Fix it. See ', href: null },
    { part: 'docs/operating.md#watch-tocsin', href: '/docs/operating.md#:~:text=%23%20watch%20tocsin' },
    { part: '.', href: null },
  ]);
  assert.deepEqual(
    docsParts('docs/backup.md').map(({ href }) => href),
    [null, '/docs/backup.md', null],
  );
});
