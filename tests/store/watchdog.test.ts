// The calls of the watchdog: one process makes each of them, and says once that it makes none.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createCallWatchdog } from '#upkeep/call-watchdog.ts';
import { it, type NewStore } from '../support/store/each-engine.ts';
import { aSign } from '../support/store/records.ts';

const minuteMs = 60_000;
const steps = { runner: ['run-checks', 'record-results'], upkeep: ['roll-up'] };

/** Two processes that call the same URL. */
async function watching(newStore: NewStore) {
  const temp = await newStore();
  const { processes, watchdog } = temp.store;
  const said: string[] = [];
  let calls = 0;
  let answer: string | null = null;
  const caller = () =>
    createCallWatchdog({
      store: watchdog,
      processes: () => processes.list(),
      steps,
      call: () => {
        calls++;
        return Promise.resolve(answer);
      },
      clock: temp.clock,
      startedAt: 0,
      onWithheld: (reasons) => said.push(`withheld: ${reasons.join('; ')}`),
      onFailed: (error) => said.push(`failed: ${error}`),
      onCalled: () => said.push('called'),
    });
  const ticks = [caller(), caller()];
  const own = aSign({ roles: ['runner', 'upkeep'] });
  return {
    temp,
    said,
    /** A tick of both processes, with these steps stalled; returns the number of calls. */
    tick: async (stalled: readonly string[] = []): Promise<number> => {
      await processes.sign({ ...own, stalled });
      const before = calls;
      await Promise.all(ticks.map((tick) => tick()));
      return calls - before;
    },
    answerWith: (error: string | null): void => {
      answer = error;
    },
    restart: (): void => {
      ticks.splice(0, ticks.length, caller());
    },
  };
}

describe('the watchdog', () => {
  it('is called by one of the processes each minute', async (newStore) => {
    const { temp, tick, said } = await watching(newStore);
    await using _ = temp;
    assert.deepEqual([await tick(), await tick()], [1, 0]);
    temp.clock.advance(minuteMs - 1);
    assert.equal(await tick(), 0);
    temp.clock.advance(1);
    assert.deepEqual([await tick(), await tick()], [1, 0]);
    assert.deepEqual(said, []);
  });

  it('is not called while a step makes no progress, which is logged once, also over a restart', async (newStore) => {
    const { temp, tick, said, restart } = await watching(newStore);
    await using _ = temp;
    assert.equal(await tick(['record-results']), 0);
    restart();
    for (let minutes = 0; minutes < 3; minutes++) {
      temp.clock.advance(minuteMs);
      assert.equal(await tick(['record-results', 'roll-up']), 0);
    }
    assert.deepEqual(said, ['withheld: the step record-results makes no progress']);
    const state = await temp.store.watchdog.state();
    assert.deepEqual(state?.reasons, [
      'the step record-results makes no progress',
      'the step roll-up makes no progress',
    ]);
    assert.equal(state.withheldSince, temp.clock.now() - 3 * minuteMs);
    temp.clock.advance(minuteMs);
    assert.equal(await tick(), 1);
    assert.deepEqual(said.slice(1), ['called']);
    assert.equal((await temp.store.watchdog.state())?.withheldSince, null);
  });

  it('that does not answer is called again after 10 s, and logged once', async (newStore) => {
    const { temp, tick, said, answerWith } = await watching(newStore);
    await using _ = temp;
    answerWith('connection refused');
    assert.equal(await tick(), 1);
    const failedAt = temp.clock.now();
    temp.clock.advance(10_000);
    assert.equal(await tick(), 1);
    const state = await temp.store.watchdog.state();
    assert.deepEqual([state?.failingSince, state?.error], [failedAt, 'connection refused']);
    answerWith(null);
    temp.clock.advance(10_000);
    assert.deepEqual([await tick(), await tick()], [1, 0]);
    assert.deepEqual(said, ['failed: connection refused', 'called']);
  });
});
