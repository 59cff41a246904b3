// State of a delivery after each attempt (spec §6.5).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  afterAttempt,
  requestedDelayMs,
  type AttemptError,
  attemptNote,
  type RetryPlan,
  type SendOutcome,
} from './delivery.ts';

const startedAt = Date.UTC(2026, 2, 10, 12);
const outcome = (error: AttemptError | null, durationMs = 1500): SendOutcome => ({
  startedAt,
  durationMs,
  headers: [],
  response: null,
  error: error === null ? null : { class: error, message: error },
});

const answer = (status: number, retryAfter: string) => ({ status, headers: { 'retry-after': retryAfter }, body: '' });

/** All attempts of a delivery that each end with that error: pauses in seconds, then the final status. */
function life(error: AttemptError, plan: RetryPlan, retryAfter?: string): (number | string)[] {
  const asking = retryAfter === undefined ? {} : { response: answer(429, retryAfter) };
  const seen: (number | string)[] = [];
  for (let attempt = 1; attempt < 100; attempt++) {
    const step = afterAttempt({ ...outcome(error), ...asking }, attempt, plan);
    if (step.status !== 'pending') return [...seen, step.status];
    seen.push((step.nextAttemptAt - startedAt - 1500) / 1000);
  }
  return seen;
}

describe('a delivery', () => {
  it('is delivered by the first success, at any attempt', () => {
    for (const attempt of [1, 2, 6, 10]) {
      assert.deepEqual(afterAttempt(outcome(null), attempt, 'normal'), { status: 'delivered', nextAttemptAt: null });
    }
  });

  for (const error of ['status', 'timeout', 'dns', 'connect', 'tls', 'reset', 'protocol'] as const) {
    it(`is attempted six times, 20 s after the end of the previous attempt, while it ends with ${error}`, () => {
      assert.deepEqual(life(error, 'normal'), [20, 20, 20, 20, 20, 'exhausted']);
    });
  }

  it('is retried for hours if its channel uses the long tail', () => {
    assert.deepEqual(life('status', 'long-tail'), [20, 20, 20, 20, 20, 300, 1800, 7200, 21_600, 'exhausted']);
  });

  it('is retried once more if the receiver sends Retry-After, also in the long tail, but not for a test message', () => {
    assert.deepEqual(life('status', 'normal', '45'), [20, 20, 20, 20, 20, 45, 'exhausted']);
    const long = [20, 20, 20, 20, 20, 600, 1800, 7200, 21_600, 600, 'exhausted'];
    assert.deepEqual(life('status', 'long-tail', '600'), long);
    assert.deepEqual(life('status', 'once', '45'), ['exhausted']);
  });

  it('is retried once more at the time of an earlier Retry-After, unless the last attempt began later', () => {
    const last = (until: number, durationMs = 1500) =>
      afterAttempt(outcome('timeout', durationMs), 6, 'normal', startedAt + until).nextAttemptAt;
    assert.equal(last(200_000), startedAt + 200_000);
    assert.equal(last(10_000, 30_000), startedAt + 30_000, 'requested while the last attempt was in progress');
    assert.equal(last(-1), null);
    const later = startedAt + 3_600_000;
    assert.equal(afterAttempt(outcome('status'), 5, 'normal', later).nextAttemptAt, startedAt + 21_500);
    assert.equal(afterAttempt(outcome('status'), 7, 'normal', later).nextAttemptAt, null);
    assert.equal(afterAttempt(outcome('status'), 6, 'long-tail', later).nextAttemptAt, later);
    assert.equal(afterAttempt(outcome('status'), 6, 'once', later).nextAttemptAt, null);
  });

  for (const [status, value, seconds] of [
    [503, ' 45 ', 45],
    [429, 'Tue, 10 Mar 2026 12:01:01 GMT', 59.5],
    [429, 'Tue, 10 Mar 2026 11:00:00 GMT', null],
    [429, 'Tue, 99 Abc 2026 11:00:00 GMT', null],
    [429, '9'.repeat(400), 21_600],
    [429, 'Fri, 31 Dec 9999 23:59:59 GMT', 21_600],
    [429, '-5', null],
    [429, '1.5', null],
    [429, '', null],
    [500, '45', null],
  ] as const) {
    it(`reads Retry-After "${value.slice(0, 40)}" of a ${status} as ${seconds} s`, () => {
      const waitMs = requestedDelayMs({ startedAt, durationMs: 1500, response: answer(status, value) });
      assert.equal(waitMs, seconds === null ? null : seconds * 1000);
    });
  }

  it('ends at once if the egress policy refuses its address', () => {
    assert.deepEqual(life('egress-refused', 'long-tail'), ['refused']);
  });

  it('fails at once if a mail server rejects its address', () => {
    assert.deepEqual(life('rejected', 'long-tail'), ['failed']);
  });

  it('is attempted once if it is a test message', () => {
    assert.deepEqual(life('status', 'once'), ['exhausted']);
  });

  it('is due at a whole number of milliseconds', () => {
    assert.equal(afterAttempt(outcome('status', 10.25), 1, 'normal').nextAttemptAt, startedAt + 20_011);
  });
});

describe('an attempt', () => {
  const redirected = { ...outcome(null), response: { status: 302, headers: {}, body: '' } };

  it('has a note only if something is unusual', () => {
    assert.equal(attemptNote({ ...redirected, response: { ...redirected.response, status: 204 } }), null);
    assert.match(attemptNote(redirected) ?? '', /^The receiver answered 302\. Redirects are not followed/);
    assert.match(
      attemptNote({ ...outcome('reset'), isSentTwice: true }) ?? '',
      /The receiver may have received it twice\.$/,
    );
    const asked = attemptNote({ ...outcome('status'), response: answer(429, '45') });
    assert.equal(asked, 'The receiver requested a delay of 45 s.');
    const cut = attemptNote({ ...outcome(null), bodyProblem: 'the connection closed early' });
    assert.equal(cut, 'The response was incomplete: the connection closed early. Its status still counts.');
    assert.match(
      attemptNote({ ...redirected, isSentTwice: true }) ?? '',
      /received it twice\. The receiver answered 302/,
    );
  });
});
