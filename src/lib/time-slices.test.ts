// Calculations in slices of time: others go on meanwhile, and owners take turns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTimeSlices } from './time-slices.ts';

function* counting(name: string, steps: number, seen: string[]): Generator<undefined, string, undefined> {
  for (let step = 0; step < steps; step++) {
    seen.push(name);
    yield;
  }
  return name;
}

test('the event loop turns between slices, and owners take turns', async () => {
  const inSlices = createTimeSlices(0);
  const seen: string[] = [];
  let isOver = false;
  const turn = (): void => {
    if (isOver) return;
    seen.push('-');
    setImmediate(turn);
  };
  setImmediate(turn);
  const names = await Promise.all([
    inSlices('a', counting('a', 3, seen)),
    inSlices('a', counting('A', 3, seen)),
    inSlices('b', counting('b', 3, seen)),
  ]);
  isOver = true;
  assert.deepEqual(names, ['a', 'A', 'b']);
  assert.deepEqual(
    seen.filter((name) => name !== '-'),
    ['a', 'b', 'A', 'b', 'a', 'b', 'A', 'a', 'A'],
  );
  for (const [index, name] of seen.entries()) assert.ok(name === '-' || seen[index + 1] === '-', seen.join(''));
});

test('a calculation that throws rejects, and the next one runs', async () => {
  const inSlices = createTimeSlices();
  // oxlint-disable-next-line require-yield -- it fails first
  const failing = function* (): Generator<undefined, never, undefined> {
    throw new Error('failed');
  };
  await assert.rejects(inSlices('a', failing()), /^Error: failed$/);
  assert.equal(await inSlices('a', counting('a', 2, [])), 'a');
});
