// Bounded concurrency, shared fairly between owners.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createSharedLanes } from './shared-lanes.ts';

const never = new AbortController().signal;

/** Eight slots, four for each owner; records who is admitted. */
function eight() {
  const lanes = createSharedLanes(8, 4);
  const seen: string[] = [];
  const leaves: (() => void)[] = [];
  const enter = (who: string, signal = never): void => {
    void lanes.enter(who, signal).then((leave) => {
      seen.push(leave === null ? `${who} gave up` : who);
      if (leave !== null) leaves.push(leave);
    });
  };
  /** Admissions since the last call. */
  const entered = async (): Promise<string> => {
    await new Promise((resolve) => setImmediate(resolve));
    return seen.splice(0).join(' ');
  };
  const leave = (place: number): void => leaves.splice(place, 1)[0]?.();
  return { lanes, enter, leave, entered };
}

test('a single owner gets all slots but one, which is reserved for the next owner', async () => {
  const { lanes, enter, entered } = eight();
  for (let one = 0; one < 10; one++) enter('a');
  assert.equal(await entered(), 'a a a a a a a');
  enter('b');
  assert.deepEqual([await entered(), lanes.inside], ['b', 8]);
});

test('while others wait, an owner gets at most four slots, and the one with fewest comes first', async () => {
  const { enter, leave, entered } = eight();
  for (let one = 0; one < 9; one++) enter('a');
  for (let one = 0; one < 6; one++) enter('b');
  assert.equal(await entered(), 'a a a a a a a b');
  // The slots that `a` has beyond its share go to `b`, and to `c` as soon as it arrives.
  leave(0);
  assert.equal(await entered(), 'b');
  enter('c');
  leave(0);
  assert.equal(await entered(), 'c');
  leave(0);
  assert.equal(await entered(), 'b', 'a has four, b has two');
  leave(0);
  assert.equal(await entered(), 'a', 'a and b have three each: a has waited longer');
});

test('an aborted wait is skipped, and leaving twice frees one slot', async () => {
  const { lanes, enter, leave, entered } = eight();
  const [gone, alone] = [new AbortController(), new AbortController()];
  for (let one = 0; one < 4; one++) enter('a');
  for (let one = 0; one < 4; one++) enter('b');
  enter('c', gone.signal);
  enter('a');
  assert.equal(await entered(), 'a a a a b b b b');
  gone.abort();
  assert.equal(await entered(), 'c gave up');
  leave(0);
  assert.equal(await entered(), 'a');
  alone.abort();
  enter('d', alone.signal);
  assert.equal(await entered(), 'd gave up');

  const place = createSharedLanes(1, 1);
  const first = await place.enter('a', never);
  first?.();
  first?.();
  assert.equal(place.inside, 0);
  assert.equal(lanes.inside, 8);
});

test('two owners that always wait do not starve a third', async () => {
  const lanes = createSharedLanes(2, 1);
  const served: string[] = [];
  const over = { is: false };
  /** Enters again after every turn. */
  const always = async (who: string): Promise<void> => {
    while (!over.is) {
      const waiting = [1, 2, 3].map(() => lanes.enter(who, never));
      for (const one of waiting) {
        const leave = await one;
        served.push(who);
        await new Promise((resolve) => setImmediate(resolve));
        leave?.();
      }
    }
  };
  const busy = [always('a'), always('c')];
  await new Promise((resolve) => setImmediate(resolve));
  served.length = 0;
  (await lanes.enter('b', never))?.();
  assert.ok(served.length <= 2, `${served.join(' ')} were admitted before b, which had no turn yet`);
  over.is = true;
  await Promise.all(busy);
});

test('without a share, one owner gets all slots, first come, first served', async () => {
  const lanes = createSharedLanes(2, 2);
  const [first] = await Promise.all([lanes.enter('a', never), lanes.enter('a', never)]);
  const late = new AbortController();
  const dropped = lanes.enter('a', late.signal);
  late.abort();
  assert.equal(await dropped, null);
  const next = lanes.enter('a', never);
  first?.();
  assert.notEqual(await next, null);
});
