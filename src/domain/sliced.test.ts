// Calculations in parts give what the plain ones do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filtered, mapped, type Sliced, sorted } from './sliced.ts';

/** Runs a calculation to its end; returns its answer and the number of parts. */
function finish<Answer>(work: Sliced<Answer>): { readonly answer: Answer; readonly parts: number } {
  for (let parts = 1; ; parts++) {
    const { done, value } = work.next();
    if (done) return { answer: value, parts };
  }
}

const numbers = Array.from({ length: 1234 }, (_, index) => (index * 7919) % 1000);

test('sorts, filters and maps in parts', () => {
  const items = numbers.map((value, index) => ({ value, index }));
  const compare = (one: { readonly value: number }, other: { readonly value: number }) => one.value - other.value;
  for (const size of [0, 1, 99, 100, 101, 1234]) {
    const some = items.slice(0, size);
    assert.deepEqual(finish(sorted(some, compare)).answer, some.toSorted(compare), `${size}`);
  }
  assert.ok(finish(sorted(items, compare)).parts > 12);
  const isEven = (value: number): boolean => value % 2 === 0;
  assert.deepEqual(finish(filtered(numbers, isEven)).answer, numbers.filter(isEven));
  assert.equal(finish(filtered(numbers, () => false)).parts, 13, 'items that are left out count');
  assert.deepEqual(finish(mapped(numbers, String)), { answer: numbers.map(String), parts: 13 });
});
