// Room for a few at once, shared by several.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createFairLanes } from './fair-lanes.ts';

const longMs = 60_000;

/** Lanes, and who was let in so far. */
function scene(most: number) {
  const lanes = createFairLanes(most, longMs);
  const seen: string[] = [];
  const leaves = new Map<string, () => void>();
  return {
    seen,
    /** `a1` is the first of the owner `a`. */
    enter: (name: string) =>
      lanes.enter(name.slice(0, 1)).then((leave) => {
        seen.push(name);
        leaves.set(name, leave ?? assert.fail(name));
      }),
    /** Resolves when whoever is let in by it knows. */
    async leave(name: string) {
      leaves.get(name)?.();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    },
  };
}

test('whoever is alone has all places, and once another waits the next place is theirs, however many came before', async () => {
  const { enter, leave, seen } = scene(2);
  await Promise.all([enter('a1'), enter('a2')]);
  const rest = ['a3', 'a4', 'b1', 'b2', 'c1'].map(enter);
  await leave('a1');
  assert.deepEqual(seen, ['a1', 'a2', 'b1']);
  await leave('a1');
  assert.equal(seen.length, 3, 'whoever leaves twice makes room once');
  for (const [left, admitted] of [
    ['a2', 'a3'],
    // There was a turn of b's since.
    ['b1', 'c1'],
    ['a3', 'b2'],
    ['c1', 'a4'],
  ] as const) {
    await leave(left);
    assert.equal(seen.at(-1), admitted, seen.join());
  }
  await Promise.all(rest);
  assert.equal(seen.length, 7);
});

test('whoever waits too long is told so, takes no place, and is in nobody’s way', async () => {
  const lanes = createFairLanes(1, 1);
  const leave = await lanes.enter('a');
  assert.deepEqual(await Promise.all([lanes.enter('b'), lanes.enter('b'), lanes.enter('a')]), [null, null, null]);
  leave?.();
  const next = await lanes.enter('b');
  assert.notEqual(next, null);
});
