// When a failed attempt of a run is tried again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RetryStrategy } from './check.ts';
import { runRetryAt } from './run.ts';

const startedAt = Date.UTC(2026, 2, 10, 12);
const fixed: RetryStrategy = {
  type: 'FIXED',
  baseBackoffSeconds: 10,
  maxRetries: 3,
  maxDurationSeconds: 600,
  sameRegion: true,
};

/** Seconds between the failure and the next attempt, for attempts 1, 2, … that each fail at once. */
function pauses(strategy: RetryStrategy | null, reason: string | null = 'status'): (number | null)[] {
  return [1, 2, 3, 4].map((attempt) => {
    const at = runRetryAt(strategy, attempt, startedAt, startedAt, reason);
    return at === null ? null : (at - startedAt) / 1000;
  });
}

describe('a failed attempt is tried again', () => {
  const rows: readonly [string, RetryStrategy | null, (number | null)[]][] = [
    ['never without a strategy', null, [null, null, null, null]],
    ['never with NO_RETRIES', { ...fixed, type: 'NO_RETRIES' }, [null, null, null, null]],
    ['once with SINGLE_RETRY, whatever maxRetries says', { ...fixed, type: 'SINGLE_RETRY' }, [10, null, null, null]],
    ['after the same pause with FIXED', fixed, [10, 10, 10, null]],
    ['after a longer pause each time with LINEAR', { ...fixed, type: 'LINEAR' }, [10, 20, 30, null]],
    ['after a doubled pause each time with EXPONENTIAL', { ...fixed, type: 'EXPONENTIAL' }, [10, 20, 40, null]],
    ['at once without a base pause', { ...fixed, baseBackoffSeconds: 0 }, [0, 0, 0, null]],
    [
      'only within the longest duration',
      { ...fixed, type: 'EXPONENTIAL', maxDurationSeconds: 20 },
      [10, 20, null, null],
    ],
    [
      'never when the longest duration is shorter than the pause',
      { ...fixed, maxDurationSeconds: 9 },
      [null, null, null, null],
    ],
  ];
  for (const [what, strategy, expected] of rows) {
    it(what, () => assert.deepEqual(pauses(strategy), expected));
  }

  it('counted from its end, while the duration counts from the first start', () => {
    const limited: RetryStrategy = { ...fixed, maxDurationSeconds: 60 };
    assert.equal(runRetryAt(limited, 2, startedAt + 50_000, startedAt, null), startedAt + 60_000);
    assert.equal(runRetryAt(limited, 2, startedAt + 50_001, startedAt, null), null);
  });

  it('at a whole millisecond, because that is what a run is due at', () => {
    assert.equal(runRetryAt(fixed, 1, startedAt + 0.4, startedAt, null), startedAt + 10_001);
  });

  it('only after network errors where the strategy says so', () => {
    const picky: RetryStrategy = { ...fixed, maxRetries: 1, onlyOn: ['NETWORK_ERROR'] };
    for (const reason of ['dns', 'connect', 'reset', 'timeout']) assert.equal(pauses(picky, reason)[0], 10, reason);
    for (const reason of ['status', 'assertion', 'tls', 'slow', null]) assert.equal(pauses(picky, reason)[0], null);
    assert.equal(pauses({ ...picky, onlyOn: [] }, 'status')[0], 10);
  });
});
