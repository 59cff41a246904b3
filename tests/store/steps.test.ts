// Steps on a real store: what they do when the store is away, the disk is full, a slot is over.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Finding } from '#domain/results/result.ts';
import { createRecordResults, type RecordResultsOptions } from '#pipeline/record-results.ts';
import { createRunChecks, maxPerAccount, type RunChecksOptions } from '#pipeline/run-checks.ts';
import { createScheduleRuns } from '#pipeline/schedule-runs.ts';
import { createFollowedClock } from '#lib/followed-clock.ts';
import { outcomeCodes, reasonCodes } from '#store/base/codes.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { createFollowClock } from '#upkeep/follow-clock.ts';
import { it } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

/** The step over the store of the test, which is away while `fault.isAway`. */
function recordStep(test: PathUnderTest, fault: { isAway: boolean }, change: Partial<RecordResultsOptions> = {}) {
  return createRecordResults({
    store: {
      recordAttempts: (attempts, rules) =>
        fault.isAway
          ? Promise.reject(new StoreUnavailableError('the database cannot be written: full'))
          : test.path.recordAttempts(attempts, rules),
    },
    clock: test.temp.clock,
    owner: 'one',
    locations: () => ['local'],
    render: rendered,
    statusOf: () => null,
    onRecorded: () => {},
    onError: () => {},
    ...change,
  });
}

/** The same of running checks; what it finds is recorded by a step of its own, and each probe passes. */
function runStep(test: PathUnderTest, change: Partial<RunChecksOptions> = {}) {
  const recorder = recordStep(test, { isAway: false });
  return createRunChecks({
    store: test.path,
    clock: test.temp.clock,
    owner: 'one',
    location: 'local',
    locations: () => ['local'],
    probe: () => Promise.resolve(test.finding('passed')),
    record: (attempt) => recorder.record(attempt),
    startedAt: 0,
    wake: () => {},
    ...change,
  });
}

describe('recording results', () => {
  it('waits while the store is away, acknowledges nothing meanwhile, and loses nothing', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    const [claimed] = await test.claim();
    assert.ok(claimed !== undefined);
    const fault = { isAway: true };
    const refusals: number[] = [];
    const step = recordStep(test, fault, { onError: (_, waiting) => refusals.push(waiting) });
    let isAcknowledged = false;
    const done = step.record(test.ended(claimed, 'passed')).then(() => {
      isAcknowledged = true;
    });
    await until('a refusal', () => refusals.length > 0);
    await new Promise(setImmediate);
    assert.deepEqual([isAcknowledged, step.isHealthy, step.waiting], [false, false, 1]);
    fault.isAway = false;
    await done;
    await until('the step to be well', () => step.isHealthy);
    assert.equal(test.one('SELECT passed FROM account_counts WHERE passed > 0'), 1);
  });

  it('records the others when one of them cannot be', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    for (let n = 0; n < 3; n++) await test.check();
    await test.schedule();
    const claimed = await test.claim();
    const step = recordStep(test, { isAway: false });
    const finding = test.finding('passed', { loopDelayMs: Number.NaN });
    await Promise.all(claimed.map((run, n) => step.record(test.ended(run, 'passed', n === 1 ? { finding } : {}))));
    assert.equal(test.one('SELECT count(*) FROM results'), 2);
    assert.equal(test.one('SELECT count(*) FROM runs'), 1, 'its lease runs out, and it is run again');
    assert.equal(test.difference(), 0);
  });

  it('ends in time when the store does not come back', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    const [claimed] = await test.claim();
    assert.ok(claimed !== undefined);
    const fault = { isAway: true };
    const step = recordStep(test, fault);
    const done = step.record(test.ended(claimed, 'passed'));
    const startedAt = performance.now();
    await step.stop(50);
    assert.ok(performance.now() - startedAt < 20_000);
    assert.equal(step.waiting, 1);
    // A step tries for as long as its process lives.
    fault.isAway = false;
    await done;
  });
});

describe('running checks', () => {
  for (const [what, startedLaterMs, message] of [
    ['while this process was too busy', -60_000, /too busy/],
    ['before this process began', 15_000, /was not running/],
  ] as const) {
    it(`misses a slot that went by ${what}, and does not probe for it`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      await test.check();
      await test.schedule();
      const startedAt = test.now + startedLaterMs;
      test.temp.clock.advance(15_000);
      const probe = (): never => assert.fail('it was probed');
      await runStep(test, { startedAt, probe }).tick();
      await until('the outcome', () => test.one('SELECT missed FROM account_counts') === 1);
      assert.match(String(test.one('SELECT message FROM results')), message);
      assert.equal(test.difference(), 0);
    });
  }

  it('keeps its leases as long as a probe takes, and probes once', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    const gate = Promise.withResolvers<Finding>();
    let probes = 0;
    const step = runStep(test, {
      probe: () => {
        probes++;
        return gate.promise;
      },
    });
    for (let seconds = 0; seconds < 30; seconds += 3) {
      await step.tick();
      assert.equal((await test.claim('two')).length, 0);
      test.temp.clock.advance(3_000);
    }
    gate.resolve(test.finding('passed'));
    await until('the outcome', () => test.one('SELECT passed FROM account_counts WHERE passed > 0') === 1);
    assert.equal(probes, 1);
  });

  it('tries again as the check asks, and says which attempt it is', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const strategy = {
      type: 'FIXED',
      baseBackoffSeconds: 5,
      maxRetries: 1,
      maxDurationSeconds: 600,
      sameRegion: true,
    } as const;
    await test.check({ retryStrategy: strategy });
    await test.schedule();
    const step = runStep(test, { probe: () => Promise.resolve(test.finding('failed')) });
    await step.tick();
    await until('the attempt', () => test.one('SELECT count(*) FROM results') === 1);
    assert.equal(test.one('SELECT coalesce(sum(failed), 0) FROM account_counts'), 0);
    test.temp.clock.advance(6_000);
    await step.tick();
    await until('the outcome', () => test.one('SELECT failed FROM account_counts WHERE failed > 0') === 1);
    assert.deepEqual(test.rows('SELECT attempt FROM results ORDER BY attempt'), [{ attempt: 1 }, { attempt: 2 }]);
  });

  it('records a fault of its own as unknown, and moves no state by it', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    await runStep(test, { probe: () => Promise.reject(new Error('the thread ended')) }).tick();
    await until('the outcome', () => test.one('SELECT unknown FROM account_counts WHERE unknown > 0') === 1);
    assert.equal(test.one('SELECT message FROM results'), 'no verdict because of an error in Tocsin: the thread ended');
    assert.equal(test.one('SELECT status FROM check_states'), null);
  });

  it('gives back what it holds when it stops', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    const step = runStep(test, { probe: () => new Promise(() => {}) });
    await step.tick();
    await step.stop(10);
    assert.equal((await test.claim('two')).length, 1);
  });
});

/** Adds copies of the only check that there is, with their schedules. */
function copyCheck({ temp }: PathUnderTest, copies: number): void {
  const id = temp.isShared ? "convert_to(lpad(n::text, 16, '0'), 'UTF8')" : "CAST(printf('%016d', n) AS BLOB)";
  for (const [table, key] of [
    ['checks', 'id'],
    ['schedules', 'check_id'],
  ] as const) {
    const columns = Object.keys(temp.raw.prepare(`SELECT * FROM ${table}`).get() ?? {});
    const values = columns.map((column) => (column === key ? id : column));
    temp.raw.exec(`WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < ${copies})
      INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${table}, more`);
  }
}

/** Steps of one process over the store of the test, and how many probes they made. */
function stepsOver(test: PathUnderTest) {
  const fault = { isAway: false, isAllAway: false };
  const reach = <Answer>(work: () => Promise<Answer>): Promise<Answer> =>
    fault.isAllAway ? Promise.reject(new StoreUnavailableError('the database cannot be reached')) : work();
  const { path } = test;
  const recorder = recordStep(test, fault);
  let probes = 0;
  const running = runStep(test, {
    store: {
      claimRuns: (claim) => reach(() => path.claimRuns(claim)),
      renewRuns: (runs, lease) => reach(() => path.renewRuns(runs, lease)),
      returnRuns: (runs, owner) => reach(() => path.returnRuns(runs, owner)),
      contextOf: (run) => reach(() => path.contextOf(run)),
    },
    probe: () => {
      probes++;
      return Promise.resolve(test.finding('passed'));
    },
    record: (attempt) => recorder.record(attempt),
  });
  const schedule = createScheduleRuns({
    store: { scheduleDue: (rules) => reach(() => path.scheduleDue(rules)) },
    firstRuns: test.temp.store.firstRuns,
    clock: { now: () => test.now, lastSet: null },
    locations: () => ['local'],
    startedAt: 0,
    wake: () => {},
  });
  // What waits would be tried for as long as its process lives.
  const end = async (): Promise<void> => {
    fault.isAway = fault.isAllAway = false;
    await recorder.stop(5000);
  };
  return { fault, recorder, running, schedule, probes: () => probes, [Symbol.asyncDispose]: end };
}

describe('results that cannot be recorded', () => {
  it('are held up to a bound, beyond which no probe begins; none is lost, and slots meanwhile were missed for the store', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const beyond = 20;
    await test.check();
    test.rows('DELETE FROM first_runs');
    copyCheck(test, maxPerAccount + beyond - 1);
    await using steps = stepsOver(test);
    const { fault, recorder, running, schedule, probes } = steps;
    fault.isAway = true;
    while ((await schedule()) === 0);
    while ((await running.tick()) === 0);
    await until('all that may wait to wait', () => recorder.waiting === maxPerAccount);
    await running.tick();
    assert.deepEqual([probes(), running.inProgress, recorder.waiting], [maxPerAccount, maxPerAccount, maxPerAccount]);
    assert.equal(test.one('SELECT count(*) FROM runs WHERE leased_by IS NULL'), beyond);

    fault.isAllAway = true;
    test.temp.clock.advance(25_000);
    await assert.rejects(schedule(), StoreUnavailableError);
    await assert.rejects(running.tick(), StoreUnavailableError);
    assert.equal(probes(), maxPerAccount);

    fault.isAway = fault.isAllAway = false;
    while ((await schedule()) === 0);
    await until('what waited to be recorded', () => running.inProgress === 0);
    assert.equal(test.one('SELECT passed FROM account_counts WHERE passed > 0'), maxPerAccount);
    await running.tick();
    await until('what was over to be recorded', () => running.inProgress === 0);
    const missed = outcomeCodes.encode('missed');
    // The slot of each check that went by while the store was away, and the first one of those beyond the bound.
    assert.deepEqual(
      test.rows(`SELECT reason, sum(slots) AS slots FROM results WHERE outcome = ${missed} GROUP BY reason`),
      [{ reason: reasonCodes.encode('store'), slots: maxPerAccount + beyond + beyond }],
    );
    assert.equal(test.difference(), 0);
  });
});

describe('scheduling runs', () => {
  it('follows a clock that is set, and says why the slots of the jump were not run', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    let steady = 0;
    const moves: number[] = [];
    const clock = createFollowedClock(test.temp.clock, () => steady);
    const follow = createFollowClock({ store: test.path, clock, onClockSet: (byMs) => moves.push(byMs) });
    const schedule = createScheduleRuns({
      store: test.path,
      firstRuns: test.temp.store.firstRuns,
      clock,
      locations: () => ['local'],
      startedAt: test.now - 60_000,
      wake: () => {},
    });
    const tick = async (): Promise<number> => {
      await follow();
      return schedule();
    };
    const pass = (ms: number): void => {
      steady += ms;
      test.temp.clock.advance(ms);
    };
    await tick();
    pass(10_000);
    await tick();
    assert.deepEqual([moves, test.one('SELECT scheduled FROM account_counts')], [[], 2]);
    test.temp.clock.advance(60_000);
    pass(10_000);
    await tick();
    assert.deepEqual(moves, [60_000]);
    assert.match(String(test.one('SELECT message FROM results')), /clock was set forward/);
    test.temp.clock.advance(-3_600_000);
    const nextMs = await tick();
    assert.deepEqual(moves, [60_000, -3_600_000]);
    assert.ok(nextMs >= 0 && nextMs <= 10_000);
    // This process started at a later reading of the clock, but was running.
    pass(40_000);
    await tick();
    const reasons = test.rows('SELECT DISTINCT reason FROM results ORDER BY reason').map(({ reason }) => reason);
    assert.deepEqual(reasons, [reasonCodes.encode('overload'), reasonCodes.encode('clock')]);
    assert.equal(test.difference(), 0);
  });
});
