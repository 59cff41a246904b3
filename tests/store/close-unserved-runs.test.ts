// Runs at a location whose last runner is gone: they wait for one to come back, and end once that took too long.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { createCloseUnservedRuns, patienceMs } from '#pipeline/close-unserved-runs.ts';
import { it } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { PathUnderTest } from './path-under-test.ts';

const second = 1000;

/** The step of a runner that serves `locations` over that path; `closed` holds the runs that it reported. */
function stepOf(test: PathUnderTest, locations: () => readonly string[] | null) {
  const { store, clock } = test.temp;
  let steady = 0;
  const closed: [string, number][] = [];
  const tick = createCloseUnservedRuns({
    store: { runQueue: (now) => store.figures.runQueue(now), claimRuns: (claim) => store.path.claimRuns(claim) },
    clock,
    steadyNow: () => steady,
    owner: 'closer',
    locations,
    record: async (attempt: EndedAttempt) => (await test.record([attempt], 'closer'))[0] ?? null,
    onClosed: (...one) => closed.push(one),
  });
  /** Turns every ten seconds, as its loop does. */
  const live = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 10 * second) {
      sleep(10 * second);
      await tick();
    }
  };
  /** Time in which it does not turn. */
  const sleep = (ms: number): void => {
    clock.advance(ms);
    steady += ms;
  };
  return { closed, live, sleep };
}

describe('a location that nobody serves any more', () => {
  it('has its runs closed after ten minutes: missed where none was begun, not known where one was or had failed', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check({ locations: ['lima'] });
    const failing = await test.check({ locations: ['lima'] });
    await test.schedule('downtime', ['lima', 'oslo']);
    const claimed = await test.claim('one', 'lima');
    await test.check({ locations: ['lima'] });
    await test.schedule('downtime', ['lima', 'oslo']);
    const first = claimed.find(({ run }) => run.checkId === failing);
    assert.ok(first !== undefined && claimed.length === 2);
    // One has failed and waits for its retry; who began the other one is gone.
    await test.record([test.ended(first, 'failed', { retry: { at: test.now + 5 * second, location: 'lima' } })]);
    const { closed, live } = stepOf(test, () => ['oslo']);
    await live(patienceMs);
    assert.deepEqual([closed, test.one('SELECT count(*) FROM runs')], [[], 3]);
    await live(20 * second);
    await until('the runs to be closed', () => closed.length > 0);
    assert.deepEqual(closed, [['lima', 3]]);
    const ends = `SELECT attempt, message FROM results WHERE run_id IS NULL ORDER BY attempt, message`;
    assert.deepEqual(test.rows(ends), [
      { attempt: 1, message: 'not run: no process runs checks at location lima' },
      { attempt: 1, message: 'started without a result: no process runs checks at location lima' },
      { attempt: 2, message: 'not retried: no process runs checks at location lima' },
    ]);
    assert.deepEqual(test.rows('SELECT missed, unknown FROM account_counts'), [{ missed: 1, unknown: 2 }]);
    assert.equal(test.difference(), 0);
  });

  it('keeps them while a runner comes back in time, and what another one is at', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check({ locations: ['lima'] });
    await test.schedule('downtime', ['lima']);
    let served: string[] | null = ['oslo'];
    const { closed, live, sleep } = stepOf(test, () => served);
    await live(patienceMs);
    served = ['oslo', 'lima'];
    await live(10 * second);
    served = ['oslo'];
    await live(patienceMs);
    assert.deepEqual(closed, [], 'who was there in between may come back again');
    served = null;
    await live(10 * second);
    served = ['oslo'];
    await live(patienceMs);
    assert.deepEqual(closed, [], 'while it was not known who was there, somebody may have been');
    sleep(patienceMs);
    await live(patienceMs);
    assert.deepEqual(closed, [], 'so may it while nobody looked');
    const [held] = await test.claim('one', 'lima');
    assert.ok(held !== undefined);
    await test.path.renewRuns([held.run], { owner: 'one', now: test.now, leaseMs: 60 * second });
    await live(40 * second);
    assert.deepEqual(closed, [], 'its heartbeat may be late while it works');
    await test.record([test.ended(held, 'passed')]);
    assert.equal(test.difference(), 0);
  });
});
