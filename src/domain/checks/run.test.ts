// Time and location of retries.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RetryStrategy } from './check.ts';
import { retryLocation, retryOf, runRetryAt } from './run.ts';

const startedAt = Date.UTC(2026, 2, 10, 12);
const fixed: RetryStrategy = {
  type: 'FIXED',
  baseBackoffSeconds: 10,
  maxRetries: 3,
  maxDurationSeconds: 600,
  sameRegion: true,
};

/** Seconds between a failure and the next attempt, for attempts 1, 2, … that each fail at once. */
function pauses(strategy: RetryStrategy | null, reason: string | null = 'status'): (number | null)[] {
  return [1, 2, 3, 4].map((attempt) => {
    const at = runRetryAt(strategy, attempt, startedAt, startedAt, reason);
    return at === null ? null : (at - startedAt) / 1000;
  });
}

describe('a failed attempt is retried', () => {
  const rows: readonly [string, RetryStrategy | null, (number | null)[]][] = [
    ['never without a strategy', null, [null, null, null, null]],
    ['never with NO_RETRIES', { ...fixed, type: 'NO_RETRIES' }, [null, null, null, null]],
    ['once with SINGLE_RETRY, whatever maxRetries is', { ...fixed, type: 'SINGLE_RETRY' }, [10, null, null, null]],
    ['after the same pause with FIXED', fixed, [10, 10, 10, null]],
    ['after a longer pause each time with LINEAR', { ...fixed, type: 'LINEAR' }, [10, 20, 30, null]],
    ['after a doubled pause each time with EXPONENTIAL', { ...fixed, type: 'EXPONENTIAL' }, [10, 20, 40, null]],
    ['at once without a base pause', { ...fixed, baseBackoffSeconds: 0 }, [0, 0, 0, null]],
    [
      'only within the maximum duration',
      { ...fixed, type: 'EXPONENTIAL', maxDurationSeconds: 20 },
      [10, 20, null, null],
    ],
    [
      'never if the maximum duration is shorter than the pause',
      { ...fixed, maxDurationSeconds: 9 },
      [null, null, null, null],
    ],
  ];
  for (const [what, strategy, expected] of rows) {
    it(what, () => assert.deepEqual(pauses(strategy), expected));
  }

  it('after a pause from its end, while the maximum duration counts from the first start', () => {
    const limited: RetryStrategy = { ...fixed, maxDurationSeconds: 60 };
    assert.equal(runRetryAt(limited, 2, startedAt + 50_000, startedAt, null), startedAt + 60_000);
    assert.equal(runRetryAt(limited, 2, startedAt + 50_001, startedAt, null), null);
  });

  it('at a whole number of milliseconds, like all due times', () => {
    assert.equal(runRetryAt(fixed, 1, startedAt + 0.4, startedAt, null), startedAt + 10_001);
  });

  it('only after network errors if the strategy requires that', () => {
    const picky: RetryStrategy = { ...fixed, maxRetries: 1, onlyOn: ['NETWORK_ERROR'] };
    for (const reason of ['dns', 'connect', 'reset', 'timeout']) assert.equal(pauses(picky, reason)[0], 10, reason);
    for (const reason of ['status', 'assertion', 'tls', 'slow', 'deadline', null])
      assert.equal(pauses(picky, reason)[0], null);
    assert.equal(pauses({ ...picky, onlyOn: [] }, 'status')[0], 10);
  });
});

describe('the next attempt runs', () => {
  const locations = ['lima', 'oslo', 'pune'];
  const elsewhere: RetryStrategy = { ...fixed, sameRegion: false };

  /** Locations of the attempts of a run that begins at `first` and fails everywhere. */
  function attempts(
    first: string,
    strategy: RetryStrategy | null,
    served: readonly string[],
    own = locations,
  ): string[] {
    const all = [first];
    const check = { retryStrategy: strategy, locations: own };
    while (all.length < 4) all.push(retryLocation(check, all.at(-1) ?? first, served));
    return all;
  }

  it('at the same location by default', () => {
    assert.deepEqual(attempts('oslo', fixed, locations), ['oslo', 'oslo', 'oslo', 'oslo']);
    assert.equal(retryLocation({ retryStrategy: null, locations }, 'oslo', locations), 'oslo');
  });

  it('at another location each time, until all of the check were used', () => {
    assert.deepEqual(attempts('lima', elsewhere, locations), ['lima', 'oslo', 'pune', 'lima']);
    assert.deepEqual(attempts('oslo', elsewhere, locations), ['oslo', 'pune', 'lima', 'oslo']);
    assert.deepEqual(attempts('lima', elsewhere, locations, ['lima', 'oslo']), ['lima', 'oslo', 'lima', 'oslo']);
  });

  it('at a different location for each failure of a parallel check', () => {
    const check = { retryStrategy: elsewhere, locations };
    assert.deepEqual(
      locations.map((code) => retryLocation(check, code, locations)),
      ['oslo', 'pune', 'lima'],
    );
  });

  it('only at a location that a process serves', () => {
    assert.deepEqual(attempts('lima', elsewhere, ['pune', 'lima', 'rome']), ['lima', 'pune', 'lima', 'pune']);
    assert.deepEqual(attempts('lima', elsewhere, ['lima']), ['lima', 'lima', 'lima', 'lima']);
  });

  it('at the same location if the check has no other', () => {
    assert.equal(retryLocation({ retryStrategy: elsewhere, locations: [] }, 'lima', ['rome', 'lima']), 'lima');
    assert.equal(retryLocation({ retryStrategy: elsewhere, locations: ['lima'] }, 'lima', ['rome', 'lima']), 'lima');
    assert.equal(retryLocation({ retryStrategy: elsewhere, locations: ['lima', 'lima'] }, 'lima', ['lima']), 'lima');
  });

  it('at the first location of the check if the failed one was removed from it', () => {
    assert.equal(retryLocation({ retryStrategy: elsewhere, locations }, 'rome', ['rome', 'oslo', 'pune']), 'oslo');
  });
});

describe('the next attempt', () => {
  const check = { retryStrategy: { ...fixed, maxRetries: 1, sameRegion: false }, locations: ['lima', 'oslo'] };
  const ended = { reason: 'status', startedAt, stoppedAt: startedAt + 1000 } as const;
  const first = { attempt: 1, location: 'lima', firstStartedAt: null };

  it('has a time and a location after a failure, as often as its strategy allows', () => {
    const failed = { ...ended, verdict: 'failed' } as const;
    const second = { attempt: 2, location: 'oslo', firstStartedAt: startedAt };
    const served = ['oslo', 'lima'];
    assert.deepEqual(retryOf(first, failed, check, served), { at: startedAt + 11_000, location: 'oslo' });
    assert.equal(retryOf(second, failed, check, served), null);
  });

  it('does not exist after any other verdict', () => {
    for (const verdict of ['passed', 'degraded', 'unknown'] as const) {
      assert.equal(retryOf(first, { ...ended, verdict }, check, ['lima']), null, verdict);
    }
  });
});
