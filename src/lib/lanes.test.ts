// Bounded concurrency.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createLanes } from './lanes.ts';

test('admits up to the limit, in the order of arrival', async () => {
  const lanes = createLanes(2);
  const seen: number[] = [];
  const enter = (number: number) => lanes.enter().then((leave) => (seen.push(number), leave));
  const first = await enter(1);
  await enter(2);
  const third = enter(3);
  void enter(4);
  assert.deepEqual([seen, lanes.inside, lanes.waiting], [[1, 2], 2, 2]);
  first();
  first();
  await third;
  assert.deepEqual([seen, lanes.inside, lanes.waiting], [[1, 2, 3], 2, 1]);
});
