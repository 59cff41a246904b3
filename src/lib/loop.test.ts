// Turns of a loop: woken, by time, stopped, and after an error.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Loop, startLoop } from './loop.ts';

/** A turn that ends on demand, and a way to wait for the start of the next one. */
function steps(): {
  tick: () => Promise<number>;
  begun: () => Promise<{ end: (pauseMs: number) => void; fail: () => void }>;
  count: () => number;
} {
  const ticks: { end: (pauseMs: number) => void; fail: () => void }[] = [];
  const waiting: ((tick: { end: (pauseMs: number) => void; fail: () => void }) => void)[] = [];
  let count = 0;
  return {
    count: () => count,
    tick: () => {
      count++;
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const tick = { end: resolve, fail: () => reject(new Error('no')) };
      const next = waiting.shift();
      if (next === undefined) ticks.push(tick);
      else next(tick);
      return promise;
    },
    begun: () => {
      const tick = ticks.shift();
      if (tick !== undefined) return Promise.resolve(tick);
      const { promise, resolve } = Promise.withResolvers<{ end: (pauseMs: number) => void; fail: () => void }>();
      waiting.push(resolve);
      return promise;
    },
  };
}

const hourMs = 3_600_000;
const start = (
  tick: () => Promise<number>,
  floorMs = hourMs,
  onError: (error: unknown, failed: number) => void = () => {},
): Loop => startLoop({ tick, floorMs, onError });

describe('a loop', () => {
  it('turns at once, and again at the time it returned', async () => {
    const { tick, begun } = steps();
    const loop = start(tick);
    (await begun()).end(0);
    (await begun()).end(1);
    (await begun()).end(hourMs);
    await loop.stop();
  });

  it('turns when woken, long before its next time', async () => {
    const { tick, begun } = steps();
    const loop = start(tick);
    (await begun()).end(hourMs);
    await new Promise(setImmediate);
    loop.wake();
    (await begun()).end(hourMs);
    await loop.stop();
  });

  it('turns again when woken during a turn, once for any number of wake-ups', async () => {
    const { tick, begun, count } = steps();
    const loop = start(tick);
    const first = await begun();
    for (let n = 0; n < 5; n++) loop.wake();
    first.end(hourMs);
    const second = await begun();
    assert.equal(count(), 2);
    second.end(hourMs);
    await new Promise(setImmediate);
    loop.wake();
    (await begun()).end(hourMs);
    assert.equal(count(), 3);
    await loop.stop();
  });

  it('turns after its maximum pause even if the turn returns a longer one', async () => {
    const { tick, begun } = steps();
    const loop = start(tick, 5);
    (await begun()).end(hourMs);
    (await begun()).end(hourMs);
    await loop.stop();
  });

  it('waits for the turn in progress when stopped, and starts no other', async () => {
    const { tick, begun, count } = steps();
    const loop = start(tick);
    const first = await begun();
    loop.wake();
    let isStopped = false;
    const stops = [loop.stop(), loop.stop()].map((stopped) =>
      stopped.then(() => {
        isStopped = true;
      }),
    );
    await new Promise(setImmediate);
    assert.equal(isStopped, false);
    first.end(0);
    await Promise.all(stops);
    loop.wake();
    await new Promise((resolve) => setTimeout(resolve, 2));
    assert.equal(count(), 1);
  });

  it('never turns if stopped at once', async () => {
    const { tick, count } = steps();
    await start(tick).stop();
    await new Promise((resolve) => setTimeout(resolve, 2));
    assert.equal(count(), 0);
  });

  it('is stalled if no turn succeeds for a minute longer than its pause', async () => {
    const { tick, begun } = steps();
    let elapsed = 0;
    const loop = startLoop({ tick, floorMs: 5000, onError: () => {}, elapsedMs: () => elapsed });
    const first = await begun();
    elapsed = 65_000;
    assert.equal(loop.isStalled, false);
    elapsed = 65_001;
    assert.deepEqual([loop.isStalled, loop.isHealthy], [true, true], 'its first turn has not ended');
    first.end(0);
    const second = await begun();
    assert.equal(loop.isStalled, false);
    elapsed += 65_001;
    second.fail();
    const third = await begun();
    assert.equal(loop.isStalled, true);
    third.end(hourMs);
    await loop.stop();
    assert.equal(loop.isStalled, false);
  });

  it('continues after an error with growing pauses, whatever wakes it, and reports that it is unhealthy', async () => {
    const { tick, begun } = steps();
    const faults: { failed: number; at: number }[] = [];
    const loop = start(tick, hourMs, (_, failed) => faults.push({ failed, at: performance.now() }));
    assert.equal(loop.isHealthy, true);
    const begins: number[] = [];
    for (let n = 0; n < 3; n++) {
      const present = await begun();
      begins.push(performance.now());
      loop.wake();
      present.fail();
      await new Promise(setImmediate);
      loop.wake();
      assert.equal(loop.isHealthy, false);
    }
    const last = await begun();
    begins.push(performance.now());
    last.end(hourMs);
    await new Promise(setImmediate);
    assert.equal(loop.isHealthy, true);
    assert.deepEqual(
      faults.map(({ failed }) => failed),
      [1, 2, 3],
    );
    // At least half of 100, 200 and 400 ms; the other half is jitter.
    for (const [n, least] of [49, 99, 199].entries()) {
      assert.ok((begins[n + 1] ?? 0) - (faults[n]?.at ?? 0) >= least, `pause ${n + 1}`);
    }
    await loop.stop();
  });

  it('pauses between 2.5 s and 5 s after many errors, with jitter', async (t) => {
    const pauses: number[] = [];
    const waited = globalThis.setTimeout;
    t.mock.method(globalThis, 'setTimeout', (next: () => void, pauseMs: number) => {
      pauses.push(pauseMs);
      return waited(next, 0);
    });
    const { tick, begun } = steps();
    const loop = start(tick);
    for (let n = 0; n < 26; n++) (await begun()).fail();
    (await begun()).end(hourMs);
    await loop.stop();
    // After the sixth error the pause has its maximum.
    const longest = pauses.slice(6, 26);
    assert.ok(
      longest.every((pauseMs) => pauseMs >= 2500 && pauseMs <= 5000),
      longest.join(),
    );
    assert.ok(new Set(longest).size > 10, longest.join());
  });
});
