// What the page on security promises of scripts is what the code says of each level, and what is lacking has a name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPage } from '../../../tests/support/pages.ts';
import { containments } from './containment.ts';
import { protections, shortfalls, uncounted } from './protections.ts';

const { text } = readPage('docs/security.md');

test('the table of the page is that of the code', () => {
  const plain = text.replaceAll('**', '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  const lines = plain.split('\n');
  const head = `| | ${containments.map((level) => `\`${level}\``).join(' | ')} |`;
  assert.ok(lines.includes(head), head);
  const told = lines.slice(lines.indexOf(head) + 3, lines.indexOf('', lines.indexOf(head)));
  const rows = protections.map(
    ({ what, at }) => `| ${[what, ...containments.map((level) => at[level])].join(' | ')} |`,
  );
  assert.deepEqual(told, rows);
});

test('what limits do not count is listed on the page', () => {
  const list = text.split('Not counted, at any level, are')[1]?.split('\n\n')[1] ?? '';
  for (const { what } of uncounted) assert.ok(list.includes(`\n- ${what}`) || list.startsWith(`- ${what}`), what);
});

test('the levels that keep scripts in lack nothing, and another user without a group of its own keeps no processes together', () => {
  assert.deepEqual([...shortfalls('bubblewrap', true), ...shortfalls('namespaces', false)], []);
  const more = shortfalls('user', false).filter((each) => !shortfalls('user', true).includes(each));
  assert.deepEqual(
    more,
    shortfalls('process', true).filter((each) => /^(limits|what it leaves)/.test(each)),
  );
  assert.equal(more.length, 2);
});
