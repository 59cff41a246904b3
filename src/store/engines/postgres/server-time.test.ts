// The database's clock as a process knows it: exact to half a trip, and told apart from the process's own troubles.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openServerTime } from './server-time.ts';

const serverStart = Date.UTC(2026, 2, 10, 12);

/** A world in which time passes only when it is told to. */
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

describe('the time of the database', () => {
  it('goes on by itself between two questions', async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    assert.equal(time.now(), Math.round(at.server));
    pass(60_000);
    assert.equal(time.now(), Math.round(at.server));
  });

  it('is taken from the quickest of the last answers', async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    at.tripMs = 400;
    for (let asked = 0; asked < 5; asked++) {
      pass(2000);
      await time.measure();
    }
    assert.ok(Math.abs(time.now() - at.server) <= 1, `${time.now() - at.server} ms apart`);
  });

  it('follows the server when its clock is set, and says that it was', async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    assert.equal(time.wasServerSet, false);
    pass(2000);
    at.server += 3_600_000;
    await time.measure();
    assert.deepEqual([time.now(), time.wasServerSet], [Math.round(at.server), true]);
    pass(2000);
    await time.measure();
    assert.equal(time.wasServerSet, true, 'also when it is asked once more before anybody has followed');
    at.server -= 7_200_000;
    pass(2000);
    await time.measure();
    assert.deepEqual([time.now(), time.wasServerSet], [Math.round(at.server), true]);
  });

  it('is not said to be set when this machine was suspended', async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    pass(2000);
    at.server += 600_000;
    at.up += 600_000;
    await time.measure();
    assert.deepEqual([time.now(), time.wasServerSet], [Math.round(at.server), false]);
  });

  it('is not said to be set when nobody looked for long: others have moved what had to be moved', async () => {
    const { at, pass, deps } = world();
    const time = await openServerTime(deps);
    pass(31_000);
    at.server += 600_000;
    await time.measure();
    assert.deepEqual([time.now(), time.wasServerSet], [Math.round(at.server), false]);
  });

  it('stays as it was known when the server does not answer', async () => {
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
