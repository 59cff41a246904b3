// The four steps on a real store: what they do when the store is away, the disk is full, a slot is over, a receiver hangs.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Finding } from '#domain/result.ts';
import type { SendOutcome } from '#domain/delivery.ts';
import { createRecordResults, type RecordResultsOptions, waitingMost } from '#pipeline/record-results.ts';
import { createRunChecks, type RunChecksOptions, underWayMost } from '#pipeline/run-checks.ts';
import { createScheduleRuns } from '#pipeline/schedule-runs.ts';
import { createSendDeliveries, type SendDeliveriesOptions } from '#pipeline/send-deliveries.ts';
import { createFollowedClock } from '#lib/followed-clock.ts';
import { StoreUnavailableError } from '#store/unavailable.ts';
import { createFollowClock } from '#upkeep/follow-clock.ts';
import { it } from '../support/each-engine.ts';
import { until } from '../support/until.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

/** No channel fails for long enough here to be told of. */
const untold = {
  isShared: () => false,
  renderFailing: () => assert.fail('no channel fails'),
  onFailing: () => assert.fail('no channel fails'),
};

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
    render: rendered,
    statusOf: () => null,
    onRecorded: () => {},
    onError: () => {},
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
    assert.equal(test.one('SELECT passed FROM run_counts'), 1);
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
    assert.ok(performance.now() - startedAt < 1_000);
    assert.equal(step.waiting, 1);
    // A step tries for as long as its process lives.
    fault.isAway = false;
    await done;
  });
});

test('as many findings can wait for the store as runs may be under way: none is dropped while it is away', () => {
  assert.equal(waitingMost, underWayMost);
});

describe('running checks', () => {
  const runStep = (test: PathUnderTest, change: Partial<RunChecksOptions> = {}) => {
    const recorder = recordStep(test, { isAway: false });
    return createRunChecks({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      location: 'local',
      locations: () => ['local'],
      runtimes: () => [],
      probe: () => Promise.resolve(test.finding('passed')),
      record: (attempt) => recorder.record(attempt),
      startedAt: 0,
      wake: () => {},
      ...change,
    });
  };

  for (const [what, startedLaterMs, message] of [
    ['while this process was too busy', -60_000, /too busy/],
    ['before this process began', 15_000, /was not running/],
  ] as const) {
    it(`misses a slot that went by ${what}, and does not probe for it`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      await test.check();
      await test.schedule();
      const startedAt = test.now + startedLaterMs;
      test.temp.clock.turn(15_000);
      const probe = (): never => assert.fail('it was probed');
      await runStep(test, { startedAt, probe }).turn();
      await until('the outcome', () => test.one('SELECT missed FROM run_counts') === 1);
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
      await step.turn();
      assert.equal((await test.claim('two')).length, 0);
      test.temp.clock.turn(3_000);
    }
    gate.resolve(test.finding('passed'));
    await until('the outcome', () => test.one('SELECT passed FROM run_counts') === 1);
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
    await step.turn();
    await until('the attempt', () => test.one('SELECT count(*) FROM results') === 1);
    assert.equal(test.one('SELECT coalesce(sum(failed), 0) FROM run_counts'), 0);
    test.temp.clock.turn(6_000);
    await step.turn();
    await until('the outcome', () => test.one('SELECT failed FROM run_counts') === 1);
    assert.deepEqual(test.rows('SELECT attempt FROM results ORDER BY attempt'), [{ attempt: 1 }, { attempt: 2 }]);
  });

  it('records a fault of its own as unknown, and moves no state by it', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    await runStep(test, { probe: () => Promise.reject(new Error('the thread ended')) }).turn();
    await until('the outcome', () => test.one('SELECT unknown FROM run_counts') === 1);
    assert.equal(test.one('SELECT message FROM results'), 'not judged, Tocsin failed: the thread ended');
    assert.equal(test.one('SELECT status FROM check_states'), null);
  });

  it('gives back what it holds when it stops', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    const step = runStep(test, { probe: () => new Promise(() => {}) });
    await step.turn();
    await step.stop(10);
    assert.equal((await test.claim('two')).length, 1);
  });
});

describe('sending deliveries', () => {
  it('has at most four under way to a channel that hangs, and none of another waits for them', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const first = await test.check();
    const hanging = await test.channel(first);
    const quick = await test.channel(first);
    for (let more = 0; more < 8; more++) {
      const checkId = await test.check();
      for (const id of [hanging, quick]) {
        await test.temp.store.alertChannels.subscribe(test.accountId, id, { checkId, groupId: null, activated: true });
      }
    }
    await test.runAll('failed');
    const held: ((outcome: SendOutcome) => void)[] = [];
    let isWoken = true;
    const send: SendDeliveriesOptions['send'] = (_, channel) =>
      channel.id === quick
        ? Promise.resolve(test.outcome(200))
        : new Promise((resolve) => {
            held.push(resolve);
          });
    const step = createSendDeliveries({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      send,
      wake: () => {
        isWoken = true;
      },
      ...untold,
      onError: (error) => assert.fail(String(error)),
    });
    const delivered = (id: number): unknown =>
      test.one(`SELECT count(*) FROM deliveries WHERE status = 1 AND alert_channel_id = ${id}`);
    /** Turns whenever the step was woken. */
    const turning = async (done: () => boolean): Promise<boolean> => {
      if (isWoken) {
        isWoken = false;
        await step.turn();
      }
      return done();
    };
    await until('the quick channel', () => turning(() => delivered(quick) === 9));
    assert.equal(held.length, 4);
    for (let count = 1; count <= 9; count++) {
      await until('the next', () => turning(() => held.length >= count));
      assert.ok(held.length < count + 4, 'four at a time');
      held[count - 1]?.(test.outcome(204));
      await until('its end', () => turning(() => delivered(hanging) === count));
    }
    await step.stop(1_000);
    assert.equal(test.one('SELECT count(*) FROM attempts'), 18);
  });

  it('begins attempts of one channel and check one after the other, and holds up no other check', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const [flapping, other] = [await test.check(), await test.check()];
    const channel = await test.channel(flapping, { sendDegraded: true });
    await test.temp.store.alertChannels.subscribe(test.accountId, channel, {
      checkId: other,
      groupId: null,
      activated: true,
    });
    await test.runAll('failed');
    test.temp.clock.turn(10_000);
    await test.runAll('passed');
    const held: { type: string; checkId: string | null; end: (outcome: SendOutcome) => void }[] = [];
    const step = createSendDeliveries({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      send: ({ alertType, checkId }) =>
        new Promise((resolve) => {
          held.push({ type: alertType, checkId, end: resolve });
        }),
      wake: () => {},
      ...untold,
      onError: (error) => assert.fail(String(error)),
    });
    /** Turns until so many attempts have begun, and once more. */
    const begun = async (count: number): Promise<void> => {
      await until(`${count} attempts`, async () => {
        await step.turn();
        return held.length >= count;
      });
      await step.turn();
      assert.equal(held.length, count);
    };
    await begun(2);
    assert.deepEqual(
      held.map(({ type }) => type),
      ['ALERT_FAILURE', 'ALERT_FAILURE'],
    );
    assert.deepEqual(new Set(held.map(({ checkId }) => checkId)), new Set([flapping, other]));
    const begunRows = 'SELECT count(*) FROM deliveries WHERE attempt_started_at IS NOT NULL';
    assert.equal(test.one(begunRows), 2, 'what waits for them is not begun');
    held.find(({ checkId }) => checkId === flapping)?.end(test.outcome(500));
    await begun(3);
    assert.deepEqual([held[2]?.type, held[2]?.checkId], ['ALERT_RECOVERY', flapping]);
    held.find(({ checkId }) => checkId === other)?.end(test.outcome(200));
    await begun(4);
    for (const { end } of held) end(test.outcome(200));
    await step.stop(5_000);
    assert.equal(test.one('SELECT count(*) FROM attempts'), 4);
  });

  it('reckons with what another process left behind, for twice its lease, whether that one is still known or not', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const asked: boolean[] = [];
    let isKnown = false;
    const step = createSendDeliveries({
      store: {
        ...test.path,
        claimDeliveries: (claim) => {
          asked.push(claim.isShared);
          return test.path.claimDeliveries(claim);
        },
      },
      clock: test.temp.clock,
      owner: 'one',
      send: () => Promise.resolve(test.outcome(200)),
      wake: () => {},
      ...untold,
      isShared: () => isKnown,
      onError: (error) => assert.fail(String(error)),
    });
    const turnAfter = async (ms: number): Promise<void> => {
      test.temp.clock.turn(ms);
      await step.turn();
    };
    for (const ms of [0, 19_999, 1]) await turnAfter(ms);
    isKnown = true;
    await turnAfter(0);
    isKnown = false;
    for (const ms of [19_999, 1]) await turnAfter(ms);
    assert.deepEqual(asked, [true, true, false, true, true, false]);
  });

  it('goes on for hours with a channel that asked for the long tail, and with no other', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    const config = { name: 'Hook', url: 'http://127.0.0.1:9/' };
    const patient = await test.channel(checkId, { config: { ...config, longTail: true } });
    const usual = await test.channel(checkId, { config });
    await test.runAll('failed');
    test.temp.raw.exec('UPDATE deliveries SET attempts = 5');
    let logged = 0;
    const step = createSendDeliveries({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      send: () => Promise.resolve(test.outcome(503)),
      wake: () => {},
      ...untold,
      onSettled: () => logged++,
      onError: (error) => assert.fail(String(error)),
    });
    await step.turn();
    await until('both attempts', () => test.one('SELECT count(*) FROM attempts') === 2);
    await step.stop(1_000);
    const left = test.rows(
      'SELECT alert_channel_id AS channel, status, next_attempt_at AS due FROM deliveries ORDER BY channel',
    );
    assert.deepEqual(left, [
      { channel: patient, status: 0, due: test.now + 5 + 300_000 },
      { channel: usual, status: 2, due: null },
    ]);
    assert.equal(logged, 2);
  });

  it('logs an attempt once the store is there again, without sending twice', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await test.runAll('failed');
    let [sent, refused] = [0, 0];
    const step = createSendDeliveries({
      store: {
        ...test.path,
        settleAttempts: (settled, rules) =>
          refused++ === 0
            ? Promise.reject(new StoreUnavailableError('full'))
            : test.path.settleAttempts(settled, rules),
      },
      clock: test.temp.clock,
      owner: 'one',
      send: () => {
        sent++;
        return Promise.resolve(test.outcome(200));
      },
      wake: () => {},
      ...untold,
      onError: () => {},
    });
    await step.turn();
    await until('the attempt', () => test.one('SELECT count(*) FROM attempts WHERE status = 200') === 1);
    await step.stop(1_000);
    assert.equal(sent, 1);
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
      clock,
      locations: () => ['local'],
      startedAt: test.now - 60_000,
      wake: () => {},
    });
    const turn = async (): Promise<number> => {
      await follow();
      return schedule();
    };
    const pass = (ms: number): void => {
      steady += ms;
      test.temp.clock.turn(ms);
    };
    await turn();
    pass(10_000);
    await turn();
    assert.deepEqual([moves, test.one('SELECT scheduled FROM run_counts')], [[], 2]);
    test.temp.clock.turn(60_000);
    pass(10_000);
    await turn();
    assert.deepEqual(moves, [60_000]);
    assert.match(String(test.one('SELECT message FROM results')), /clock was set forward/);
    test.temp.clock.turn(-3_600_000);
    const nextMs = await turn();
    assert.deepEqual(moves, [60_000, -3_600_000]);
    assert.ok(nextMs >= 0 && nextMs <= 10_000);
    assert.equal(test.difference(), 0);
  });
});
