// The database clock as estimated by a process: accurate to half a round trip, and independent of the process's delays.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openServerTime } from './server-time.ts';

const serverStart = Date.UTC(2026, 2, 10, 12);

/** An environment in which time advances only on demand. */
function world() {
  const at = { steady: 5000, server: serverStart, up: 90_000, tripMs: 2 };
  const pass = (ms: number): void => {
    at.steady += ms;
    at.server += ms;
    at.up += ms;
  };
  const deps = {
    ask: () => {
      pass(at.tripMs / 2);
      const answer = at.server;
      pass(at.tripMs / 2);
      return Promise.resolve(answer);
    },
    steadyNow: () => at.steady,
    upMs: () => at.up,
  };
  return { at, pass, deps };
}

describe('the database time', () => {
  it('advances between two queries', async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    assert.equal(time.now(), Math.round(at.server));
    pass(60_000);
    assert.equal(time.now(), Math.round(at.server));
  });

  it('is taken from the fastest of the recent responses', async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    at.tripMs = 400;
    for (let asked = 0; asked < 5; asked++) {
      pass(2000);
      await time.measure();
    }
    assert.ok(Math.abs(time.now() - at.server) <= 1, `${time.now() - at.server} ms apart`);
  });

  it("follows a change of the server's clock and reports it", async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    assert.equal(time.wasServerSet, false);
    pass(2000);
    at.server += 3_600_000;
    await time.measure();
    assert.deepEqual([time.now(), time.wasServerSet], [Math.round(at.server), true]);
    pass(2000);
    await time.measure();
    assert.equal(time.wasServerSet, true, 'also after another query before the change was handled');
    at.server -= 7_200_000;
    pass(2000);
    await time.measure();
    assert.deepEqual([time.now(), time.wasServerSet], [Math.round(at.server), true]);
  });

  it('reports no change after this machine was suspended', async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    pass(2000);
    at.server += 600_000;
    at.up += 600_000;
    await time.measure();
    assert.deepEqual([time.now(), time.wasServerSet], [Math.round(at.server), false]);
  });

  it('reports no change after a long time without queries, because other processes have handled it', async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    pass(31_000);
    at.server += 600_000;
    await time.measure();
    assert.deepEqual([time.now(), time.wasServerSet], [Math.round(at.server), false]);
  });

  it('keeps its last estimate if the server does not respond', async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    const answer = deps.ask;
    deps.ask = () => Promise.reject(new Error('away'));
    pass(10_000);
    await assert.rejects(time.measure(), /away/);
    assert.equal(time.now(), Math.round(at.server));
    deps.ask = answer;
    await time.measure();
    assert.equal(time.now(), Math.round(at.server));
  });
});
