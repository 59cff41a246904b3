// The table in docs/security.md matches the code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPage } from '../../../tests/support/pages.ts';
import { containments } from './containment.ts';
import { protections, shortfalls, uncounted } from './protections.ts';

const { text } = readPage('docs/security.md');

test('the table of the page matches the code', () => {
  const plain = text.replaceAll('**', '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  const lines = plain.split('\n');
  const head = `| | ${containments.map((level) => `\`${level}\``).join(' | ')} |`;
  assert.ok(lines.includes(head), head);
  const reported = lines.slice(lines.indexOf(head) + 3, lines.indexOf('', lines.indexOf(head)));
  const rows = protections.map(
    ({ what, at }) => `| ${[what, ...containments.map((level) => at[level])].join(' | ')} |`,
  );
  assert.deepEqual(reported, rows);
});

test('the page lists what limits do not count', () => {
  const list = text.split('Not counted, at any level, are')[1]?.split('\n\n')[1] ?? '';
  for (const { what } of uncounted) assert.ok(list.includes(`\n- ${what}`) || list.startsWith(`- ${what}`), what);
});

test('enclosing levels have no shortfalls; another user without its own group has those of a plain process', () => {
  assert.deepEqual([...shortfalls('bubblewrap', true), ...shortfalls('namespaces', false)], []);
  const more = shortfalls('user', false).filter((each) => !shortfalls('user', true).includes(each));
  assert.deepEqual(
    more,
    shortfalls('process', true).filter((each) => /^(limits|all processes)/.test(each)),
  );
  assert.equal(more.length, 2);
});
