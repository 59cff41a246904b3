// Variables of a template: capped, without special names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextOf } from './context.ts';

const facts = { createdAt: 0, uuid: 'the-uuid', randomNumber: 7, userAgent: 'Tocsin/0' };

test('caps each value and each list at 64 kB, and tags at 100', () => {
  const context = contextOf(
    {
      LONG: 'x'.repeat(100_000),
      TAGS: Array.from({ length: 200 }, () => 'tag'),
      LIST: ['a'.repeat(60_000), 'b'.repeat(60_000), 'c'],
      N: 5,
      NOTHING: undefined,
    },
    facts,
  );
  assert.equal((context['LONG'] as string).length, 65_536);
  const tags = context['TAGS'] as string[];
  assert.deepEqual([tags.length, tags[99]], [100, 'tag']);
  assert.deepEqual(
    (context['LIST'] as string[]).map(({ length }) => length),
    [60_000, 5536],
  );
  assert.equal(context['N'], 5);
  assert.equal(context['NOTHING'], undefined);
});

test('drops names with a meaning in the engine or in JavaScript', () => {
  const variables = JSON.parse(
    '{"__proto__":"a","constructor":"b","toHTML":"c","call":"d","prototype":"e","FINE":"f"}',
  );
  assert.deepEqual(Object.keys(contextOf(variables, facts)), ['FINE', '$UUID', '$RANDOM_NUMBER']);
});

test('delivery values take precedence over user variables', () => {
  const context = contextOf({ $UUID: 'mine', $RANDOM_NUMBER: 'mine' }, facts);
  assert.deepEqual([context['$UUID'], context['$RANDOM_NUMBER']], ['the-uuid', 7]);
});
