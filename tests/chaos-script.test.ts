// Chaos on PostgreSQL compared with the script of its targets: required alerts, and violations.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeAnswers, judgeGaps } from '../bench/chaos/answered.ts';
import type { Verdict } from '../bench/chaos/verdict.ts';
import type { RecordedResult } from '../bench/chaos/recorded.ts';
import { type Span, doneBy, openingMs, restMs, seenMs } from '../bench/chaos/resumed.ts';
import { type Answer, phasesOf, scriptAt } from '../bench/chaos/script.ts';
import { expectationOf, judgeNotified } from '../bench/chaos/notified.ts';
import type { Request } from '../bench/peers/chaos-receiver.ts';

const second = 1000;
/** As many as chaos over PostgreSQL has. */
const checks = 80;
/** Check 1 fails from here on for 70 s, and passes for 90 s after that. */
const start = 160 * second * 100 - 4733;
const at = (seconds: number): number => start + seconds * second;
const storms: readonly Span[] = [{ from: at(30), to: at(90) }];
const until = at(150);
const installation = {
  checkIds: ['unknown yet', 'one'],
  made: [
    { from: until, to: until },
    { from: at(0), to: at(0) },
  ],
  groupId: 1,
  triggeredIds: [],
};
const violationsOf = (...verdicts: readonly Verdict[]): string[] => verdicts.flatMap(({ violations }) => violations);

describe('the script of the targets', () => {
  it('has phases that match the response at each instant', () => {
    for (const index of [0, 1, 2, 3, 4]) {
      const phases = phasesOf(index, at(0), at(600));
      assert.equal(phases[0]?.from, at(0));
      assert.equal(phases.at(-1)?.to, at(600));
      for (const [number, { answer, from, to }] of phases.entries()) {
        assert.equal(phases[number + 1]?.from ?? to, to);
        assert.notEqual(phases[number + 1]?.answer, answer);
        assert.deepEqual([scriptAt(index, from), scriptAt(index, to - 1)], [answer, answer]);
      }
    }
  });

  it('requires failures and recoveries in a minute and in ten, whenever it begins', () => {
    const sureIn = (from: number, storms: readonly Span[]) => {
      const known = { from, to: (storms.at(-1)?.to ?? from) + restMs };
      const each = Array.from({ length: checks }, (_, index) => expectationOf(index, known, storms).counts);
      const sum = (of: 'failures' | 'recoveries'): number => each.reduce((sum, counts) => sum + counts[of], 0);
      return [sum('failures'), sum('recoveries')] as const;
    };
    for (let from = at(0); from < at(160); from += 5 * second) {
      for (const endedLate of [0, 10 * second, 25 * second]) {
        const one = { from: from + openingMs, to: from + 60 * second + endedLate };
        const [failures, recoveries] = sureIn(from, [one]);
        assert.ok(failures >= 10 && recoveries >= 3, `${failures} and ${recoveries} from ${from}`);
        const next = { from: one.to + restMs, to: one.to + restMs + 60 * second };
        const [more, moreRecoveries] = sureIn(from, [one, next]);
        assert.ok(more > failures && moreRecoveries > recoveries);
      }
    }
  });
});

describe('the end of work', () => {
  it('is delayed by storms until 15 seconds after them', () => {
    assert.equal(doneBy(at(0), seenMs, storms), at(22));
    assert.equal(doneBy(at(10), seenMs, storms), at(90 + 15 + 22));
    assert.equal(doneBy(at(104), seenMs, storms), at(90 + 15 + 22));
    assert.equal(doneBy(at(105), seenMs, storms), at(127));
    assert.equal(doneBy(at(10), seenMs, [...storms, { from: at(120), to: at(180) }]), at(180 + 15 + 22));
  });
});

describe('alerts compared with the script', () => {
  let made = 0;
  const alert = (channel: number, alertType: string, seconds: number, change: Partial<Request> = {}): Request => ({
    channel,
    alertType,
    checkId: 'one',
    resultId: 'any',
    deliveryId: `delivery ${++made}`,
    timestamp: '',
    isSigned: true,
    startedAt: at(seconds),
    responseMs: 3,
    at: at(seconds) + 200,
    ...change,
  });
  const [failure, recovery] = [alert(1, 'ALERT_FAILURE', 5), alert(1, 'ALERT_RECOVERY', 95)];
  const toOther = [alert(2, 'ALERT_FAILURE', 5), alert(2, 'ALERT_RECOVERY', 95)];
  const judge = (...first: readonly Request[]): string[] =>
    violationsOf(...judgeNotified(installation, [...first, ...toOther], storms, until));

  it('are correct if each failure is reported and resolved once, with any number of copies', () => {
    assert.deepEqual(judge(failure, recovery, failure), []);
    const [reported] = judgeNotified(installation, [failure, recovery, ...toOther], storms, until);
    assert.match(reported?.guarantee ?? '', /1 failures and 1 recoveries required, 0 failures optional/);
  });

  it('are missing if a required phase or its recovery is not reported', () => {
    assert.equal(judge().length, 1);
    assert.match(judge().join(), /check 1, channel 1: failing from \d+, but nothing was reported by \d+/);
    assert.match(judge(failure).join(), /passing from \d+, but failure was reported by \d+/);
    assert.match(judge(alert(1, 'ALERT_FAILURE', 25), recovery).join(), /nothing was reported/, 'too late');
  });

  it('are wrong if out of order, outside of their phase, too early or too late', () => {
    assert.match(judge(failure, alert(1, 'ALERT_FAILURE', 15), recovery).join(), /it follows failure/);
    assert.match(judge(failure, recovery, alert(1, 'ALERT_RECOVERY', 105)).join(), /it follows nothing/);
    assert.match(judge(failure, alert(1, 'ALERT_RECOVERY', 40), recovery).join(), /its target was failing/);
    assert.match(judge(failure, recovery, alert(1, 'ALERT_FAILURE', 120)).join(), /its target was passing/);
    assert.match(judge({ ...failure, at: at(4) }, recovery).join(), /before the run/);
    assert.match(judge({ ...failure, at: at(16) }, recovery).join(), /too late/);
    assert.match(judge(failure, recovery, { ...failure, checkId: 'another' }).join(), /is not scripted/);
    assert.match(judge(failure, alert(1, 'ALERT_DEGRADED', 75), recovery).join(), /it follows failure/);
  });

  it('may be late due to a storm, and about phases hidden by it', () => {
    assert.deepEqual(judge({ ...failure, startedAt: at(21), at: at(130) }, recovery), []);
    assert.deepEqual(judge({ ...failure, startedAt: at(21), at: at(136) }, recovery).length, 1);
  });

  it('of the next phase do not count against a phase that ends with its detection time', () => {
    // Check 12 fails for 23 s, is slow for 11 s and passes for exactly the detection time of 22 s.
    const begin = 56 * second * 300 - 12 * 1733;
    const [made, end] = [{ from: begin, to: begin }, begin + 150 * second];
    const checkIds = Array.from({ length: 13 }, (_, index) => (index === 12 ? 'one' : `unknown yet ${index}`));
    const others = Array.from({ length: 12 }, () => ({ from: end, to: end }));
    const twelve = { ...installation, checkIds, made: [...others, made] };
    const reported = (alertType: string, seconds: number): Request => {
      const startedAt = begin + seconds * second;
      return alert(1, alertType, 0, { startedAt, at: startedAt + 200 });
    };
    const seen = [
      reported('ALERT_FAILURE', 5),
      reported('ALERT_RECOVERY', 40),
      reported('ALERT_FAILURE', 56.1),
      reported('ALERT_RECOVERY', 96),
      reported('ALERT_FAILURE', 112.1),
    ];
    const both = [...seen, ...seen.map((one) => ({ ...one, channel: 2, deliveryId: `${one.deliveryId} again` }))];
    assert.deepEqual(violationsOf(...judgeNotified(twelve, both, [], end)), ['no failure or no recovery was required']);
  });

  it('prove nothing if none was required', () => {
    const always = [{ from: at(0), to: until }];
    assert.match(
      violationsOf(...judgeNotified(installation, [], always, until)).join(),
      /no failure or no recovery was required/,
    );
  });
});

describe('results compared with the responses of the targets', () => {
  const result = (seconds: number, outcome: RecordedResult['outcome'], tookMs = 5): RecordedResult => {
    const startedAt = at(seconds);
    const [id, stoppedAt] = [`${seconds}`, startedAt + tookMs];
    return {
      id,
      checkId: 'one',
      isScheduled: true,
      isTriggered: false,
      at: startedAt,
      slots: 1,
      outcome,
      startedAt,
      stoppedAt,
      order: 1,
    };
  };
  const answers = (...given: readonly (readonly [number, Answer])[]) =>
    given.map(([seconds, answer]) => ({ index: 1, at: at(seconds) + 2, answer }));
  const judge = (results: readonly RecordedResult[], given: ReturnType<typeof answers>): string[] =>
    violationsOf(judgeAnswers(installation, new Map([['one', results]]), given));

  it('match the responses, and none is invented', () => {
    const given = answers([0, 'failing'], [70, 'passing'], [80, 'slow']);
    const right = [result(0, 'failed'), result(70, 'passed'), result(80, 'degraded', 903)];
    assert.deepEqual(judge(right, given), []);
    assert.match(judge([result(0, 'passed')], given).join(), /was passed at \d+, its target answered failing/);
    assert.match(judge([result(70, 'failed')], given).join(), /answered passing/);
    assert.match(judge([result(80, 'passed')], given).join(), /answered slow/);
    assert.match(judge([result(10, 'failed')], given).join(), /received no request/);
    assert.deepEqual(judge([result(10, 'unknown'), result(20, 'missed')], given), []);
  });

  it('may find a good answer slow only if they waited for it', () => {
    assert.deepEqual(judge([result(70, 'degraded', 600)], answers([70, 'passing'])), []);
    assert.equal(judge([result(70, 'degraded', 400)], answers([70, 'passing'])).length, 1);
    assert.equal(judge([result(0, 'degraded', 600)], answers([0, 'failing'])).length, 1);
  });

  it('are verdicts where no fault was, but for a few', () => {
    const slots = Array.from({ length: 60 }, (_, slot) => result(slot / 3, 'passed'));
    const gaps = (count: number): RecordedResult[] =>
      Array.from({ length: count }, (_, slot) => result(slot / 3, 'unknown'));
    const judge = (results: readonly RecordedResult[]): number =>
      judgeGaps(installation, results, storms, until).violations.length;
    assert.equal(judge([...slots, ...gaps(3)]), 0);
    assert.equal(judge([...slots, ...gaps(4)]), 4);
    assert.equal(judge([...slots, ...gaps(4).map((gap) => ({ ...gap, at: gap.at + 40 * second }))]), 0, 'in a storm');
    assert.equal(judge([{ ...result(95, 'missed'), slots: 2 }]), 1, 'the second slot of a stretch');
  });
});
