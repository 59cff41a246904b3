// What can be completed where in a template; the cursor is at the bar.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeAt } from './template-place.ts';

function at(marked: string) {
  return placeAt(marked.replace('|', ''), marked.indexOf('|'));
}

test('the place of the cursor decides what is offered, and how it is closed', () => {
  const cases: readonly [string, string | null, string?][] = [
    ['plain|', 'text', ''],
    ['{{A}} |', 'text', ''],
    ['{{|', 'head', '}}'],
    ['{{CH|', 'head', '}}'],
    ['{{CH|}}', 'head', ''],
    ['{{{CH|', 'head', '}}}'],
    ['{{CH| {{B}}', 'head', '}}'],
    ['{{#|', 'block', '}}'],
    ['{{#if A}}x{{/|', 'end', '}}'],
    ['{{else |', 'head', '}}'],
    ['{{../CH|', 'argument', '}}'],
    ['{{json |', 'argument', '}}'],
    ['{{#if (|', 'call', '}}'],
    ["{{eq A 'x|", null],
    ['{{! note|', null],
  ];
  for (const [marked, what, close] of cases) {
    const place = at(marked);
    assert.equal(place?.what ?? null, what, marked);
    if (close !== undefined) assert.equal(place?.close, close, marked);
  }
});

test('an argument knows its helper, and a closing tag its block', () => {
  assert.deepEqual(at('{{truncate |')?.call, { name: 'truncate', index: 0 });
  assert.deepEqual(at("{{truncate A 'b c' |")?.call, { name: 'truncate', index: 2 });
  assert.deepEqual(at('{{#if (eq A |')?.call, { name: 'eq', index: 1 });
  assert.deepEqual(at('{{#and (eq A B) |')?.call, { name: 'and', index: 1 });
  assert.equal(at('{{#each TAGS}}{{#if A}}x{{/if}}{{/|')?.block, 'each');
  assert.equal(at('{{A}}{{|')?.block, null);
});
