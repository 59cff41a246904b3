// Room for a few at once that several share: nobody takes all of it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createSharedLanes } from './shared-lanes.ts';

const never = new AbortController().signal;

/** Eight places, four of one; who is let in is written down. */
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
  /** What has happened since. */
  const entered = async (): Promise<string> => {
    await new Promise((resolve) => setImmediate(resolve));
    return seen.splice(0).join(' ');
  };
  const leave = (place: number): void => leaves.splice(place, 1)[0]?.();
  return { lanes, enter, leave, entered };
}

test('who is alone takes all but one place, which is for whoever else comes', async () => {
  const { lanes, enter, entered } = eight();
  for (let one = 0; one < 10; one++) enter('a');
  assert.equal(await entered(), 'a a a a a a a');
  enter('b');
  assert.deepEqual([await entered(), lanes.inside], ['b', 8]);
});

test('while others wait nobody is given more than four, and who has least comes first', async () => {
  const { enter, leave, entered } = eight();
  for (let one = 0; one < 9; one++) enter('a');
  for (let one = 0; one < 6; one++) enter('b');
  assert.equal(await entered(), 'a a a a a a a b');
  // What a has too many goes to b, and to c as soon as it comes.
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

test('who gives up is not waited for, and who leaves twice makes one place', async () => {
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

test('two who always wait do not shut out a third', async () => {
  const lanes = createSharedLanes(2, 1);
  const served: string[] = [];
  const over = { is: false };
  /** Comes again as soon as it has been inside. */
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
  assert.ok(served.length <= 2, `${served.join(' ')} came before b, who had no turn yet`);
  over.is = true;
  await Promise.all(busy);
});
