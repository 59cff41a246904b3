// Chaos over PostgreSQL against the script of its targets: what must be told, and what is called a broken promise.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeAnswers, judgeGaps } from '../bench/chaos/answered.ts';
import type { Verdict } from '../bench/chaos/verdict.ts';
import type { RecordedResult } from '../bench/chaos/recorded.ts';
import type { Span } from '../bench/chaos/resumed.ts';
import { type Answer, phasesOf, scriptAt } from '../bench/chaos/script.ts';
import { doneBy, openingMs, restMs, seenMs } from '../bench/chaos/storms.ts';
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
const breachesOf = (...verdicts: readonly Verdict[]): string[] => verdicts.flatMap(({ breaches }) => breaches);

describe('the script of the targets', () => {
  it('is cut into phases that say what each instant says', () => {
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

  it('makes failures and recoveries sure in a minute as well as in ten, whenever it begins', () => {
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

describe('what is done by when', () => {
  it('is undone by storms until 15 seconds after them', () => {
    assert.equal(doneBy(at(0), seenMs, storms), at(22));
    assert.equal(doneBy(at(10), seenMs, storms), at(90 + 15 + 22));
    assert.equal(doneBy(at(104), seenMs, storms), at(90 + 15 + 22));
    assert.equal(doneBy(at(105), seenMs, storms), at(127));
    assert.equal(doneBy(at(10), seenMs, [...storms, { from: at(120), to: at(180) }]), at(180 + 15 + 22));
  });
});

describe('alerts against the script', () => {
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
    breachesOf(...judgeNotified(installation, [...first, ...toOther], storms, until));

  it('are right when each failure is told and ended once, with whatever copies', () => {
    assert.deepEqual(judge(failure, recovery, failure), []);
    const [reported] = judgeNotified(installation, [failure, recovery, ...toOther], storms, until);
    assert.match(reported?.promise ?? '', /1 failures and 1 recoveries sure, 0 failures optional/);
  });

  it('are missed when a phase that cannot pass unseen is not told, or its end is not', () => {
    assert.equal(judge().length, 1);
    assert.match(judge().join(), /check 1, channel 1: failing from \d+, and by \d+ nothing was told/);
    assert.match(judge(failure).join(), /passing from \d+, and by \d+ failure was told/);
    assert.match(judge(alert(1, 'ALERT_FAILURE', 25), recovery).join(), /nothing was told/, 'too late to be right');
  });

  it('are wrong out of turn, out of their phase, before they can be known, and long after', () => {
    assert.match(judge(failure, alert(1, 'ALERT_FAILURE', 15), recovery).join(), /failure was told before it/);
    assert.match(judge(failure, recovery, alert(1, 'ALERT_RECOVERY', 105)).join(), /nothing was told before it/);
    assert.match(judge(failure, alert(1, 'ALERT_RECOVERY', 40), recovery).join(), /its target was failing/);
    assert.match(judge(failure, recovery, alert(1, 'ALERT_FAILURE', 120)).join(), /its target was passing/);
    assert.match(judge({ ...failure, at: at(4) }, recovery).join(), /before the look/);
    assert.match(judge({ ...failure, at: at(16) }, recovery).join(), /too late/);
    assert.match(judge(failure, recovery, { ...failure, checkId: 'another' }).join(), /has no script/);
    assert.match(judge(failure, alert(1, 'ALERT_DEGRADED', 75), recovery).join(), /failure was told before it/);
  });

  it('may come late through a storm, and of what the storm hid', () => {
    assert.deepEqual(judge({ ...failure, startedAt: at(21), at: at(130) }, recovery), []);
    assert.deepEqual(judge({ ...failure, startedAt: at(21), at: at(136) }, recovery).length, 1);
  });

  it('are not held against a phase whose time to be seen ends with it, by what is seen of the next', () => {
    // Check 12 fails for 23 s, is slow for 11 s and passes for the 22 s that it takes to be seen.
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
    assert.deepEqual(breachesOf(...judgeNotified(twelve, both, [], end)), ['no failure or no recovery was sure']);
  });

  it('prove nothing when nothing was sure', () => {
    const always = [{ from: at(0), to: until }];
    assert.match(
      breachesOf(...judgeNotified(installation, [], always, until)).join(),
      /no failure or no recovery was sure/,
    );
  });
});

describe('results against the answers of the targets', () => {
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
    breachesOf(judgeAnswers(installation, new Map([['one', results]]), given));

  it('are those that follow, and none is invented', () => {
    const given = answers([0, 'failing'], [70, 'passing'], [80, 'slow']);
    const right = [result(0, 'failed'), result(70, 'passed'), result(80, 'degraded', 903)];
    assert.deepEqual(judge(right, given), []);
    assert.match(judge([result(0, 'passed')], given).join(), /was passed at \d+, its target answered failing/);
    assert.match(judge([result(70, 'failed')], given).join(), /answered passing/);
    assert.match(judge([result(80, 'passed')], given).join(), /answered slow/);
    assert.match(judge([result(10, 'failed')], given).join(), /was not asked/);
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
      judgeGaps(installation, results, storms, until).breaches.length;
    assert.equal(judge([...slots, ...gaps(3)]), 0);
    assert.equal(judge([...slots, ...gaps(4)]), 4);
    assert.equal(judge([...slots, ...gaps(4).map((gap) => ({ ...gap, at: gap.at + 40 * second }))]), 0, 'in a storm');
    assert.equal(judge([{ ...result(95, 'missed'), slots: 2 }]), 1, 'the second slot of a stretch');
  });
});
