// What is remembered of lists: the same object for the same text, never for another, and no more than was agreed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLastRead } from './last-read.ts';

function reader(itemsMost: number) {
  const made: string[] = [];
  const itemOf = (text: string) => {
    made.push(text);
    return { text };
  };
  const lastRead = createLastRead(itemOf, { keyLength: 1, itemsMost });
  const read = (list: string, ...texts: string[]) => {
    made.length = 0;
    const reading = lastRead.begin(list);
    assert.deepEqual(
      texts.map((text) => reading.item(text).text),
      texts,
    );
    reading.end();
    return [...made];
  };
  return read;
}

test('only what says something else is made anew, wherever it stands', () => {
  const read = reader(10);
  assert.deepEqual(read('shop', 'a1', 'b1', 'c1'), ['a1', 'b1', 'c1']);
  assert.deepEqual(read('shop', 'c1', 'a1', 'b2', 'd1'), ['b2', 'd1']);
  assert.deepEqual(read('shop', 'a1', 'b1'), ['b1']);
  assert.deepEqual(read('bank', 'a1'), ['a1']);
  assert.deepEqual(read('shop', 'c1'), ['c1']);
});

test('the list that was not read for the longest time is forgotten first, one that is too long at once', () => {
  const read = reader(4);
  read('shop', 'a1', 'b1');
  read('bank', 'a1', 'b1');
  assert.deepEqual(read('shop', 'a1', 'b1'), []);
  read('club', 'a1');
  assert.deepEqual(read('shop', 'a1', 'b1'), []);
  assert.deepEqual(read('bank', 'a1'), ['a1']);
  assert.deepEqual(read('club', 'a1', 'b1', 'c1', 'd1', 'e1'), ['b1', 'c1', 'd1', 'e1']);
  assert.deepEqual(read('club', 'a1'), ['a1']);
  assert.deepEqual(read('shop', 'a1', 'b1'), []);
});
