// Large responses are written in slices, with the same text as JSON.stringify.
import assert from 'node:assert/strict';
import test from 'node:test';
import { writeJson } from './write-json.ts';

const odd = { a: undefined, list: [undefined, null, 'ü"', { b: undefined, c: [1] }], ['"']: 1, none: [] };

for (const [name, value] of [
  ['no value', undefined],
  ['a text', 'text'],
  ['an object', { a: 1, b: undefined, c: { d: [] } }],
  ['an empty list', []],
  ['a list', [odd, undefined, null, 1]],
  ['an object with lists', odd],
] as const) {
  test(`${name} is written like by JSON.stringify`, async () => {
    assert.equal(await writeJson(value, () => assert.fail('it waits')), JSON.stringify(value));
  });
}

for (const [name, listed] of [
  ['a list', (items: readonly object[]) => items],
  ['the list in an object', (items: readonly object[]) => ({ length: items.length, entries: items, nextId: null })],
] as const) {
  test(`${name} of megabytes yields between slices`, async () => {
    const value = listed(Array.from({ length: 100 }, (_, index) => ({ index, body: 'ü'.repeat(100_000) })));
    const waited: number[] = [];
    const slices = await writeJson(value, async (size) => void waited.push(size));
    assert.ok(Array.isArray(slices), 'it is large');
    assert.equal(Buffer.concat(slices as Buffer[]).toString(), JSON.stringify(value));
    assert.ok(waited.length >= 30, `${waited.length} turns`);
    assert.ok(Math.max(...waited) < 1_000_000);
  });
}
