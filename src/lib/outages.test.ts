// Outages of an operation that sometimes fails.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createOutages } from './outages.ts';

const away = Object.assign(new Error('full'), { isTemporary: true });

it('an outage lasts from the last success before it to the next one', async () => {
  let now = 1000;
  const outages = createOutages({ now: () => now });
  const fails = () =>
    assert.rejects(
      outages.watch(() => Promise.reject(away)),
      /full/,
    );
  await outages.watch(() => Promise.resolve());
  now = 2000;
  await fails();
  now = 3000;
  await fails();
  assert.deepEqual([outages.touches(900, 1000), outages.touches(900, 1001)], [false, true]);
  now = 4000;
  await outages.watch(() => Promise.resolve(assert.ok(outages.touches(4000, 4000))));
  now = 5000;
  await outages.watch(() => Promise.resolve());
  const touched = [1000, 1001, 4000, 4001].map((at) => outages.touches(at, at));
  assert.deepEqual(touched, [false, true, true, false]);
});

it('work that waits for seconds is an outage while it lasts', async () => {
  let [now, waitedMs] = [1000, 0];
  const outages = createOutages({ now: () => now }, () => () => waitedMs);
  const wait = (ms: number) =>
    outages.watch(() => {
      [now, waitedMs] = [now + 5000, ms];
      return Promise.resolve();
    });
  await wait(1999);
  assert.equal(outages.touches(0, 9999), false, 'this thread was busy');
  await wait(4000);
  assert.deepEqual([outages.touches(5000, 6000), outages.touches(9000, 9000)], [false, true]);
});

it('a permanent error is no outage', async () => {
  const outages = createOutages({ now: () => 1000 });
  await assert.rejects(
    outages.watch(() => Promise.reject(new Error('a bug'))),
    /a bug/,
  );
  assert.equal(outages.touches(0, 9999), false);
});
