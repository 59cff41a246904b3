// Violations reported by chaos.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectedAlerts } from '../bench/chaos/expected.ts';
import { faultKinds, judgeCuts, judgeDrops, judgeFaults } from '../bench/chaos/faults.ts';
import type { RecordedResult } from '../bench/chaos/recorded.ts';
import { judgeWork, type Outage } from '../bench/chaos/resumed.ts';

const second = 1000;
const whole = { from: 0, to: 100 * second };
const everySecond = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => (from + index) * second);

describe('work that goes on', () => {
  const judge = (instants: readonly number[], outages: readonly Outage[]) =>
    judgeWork('runs', [{ name: 'runs', groups: [['one', 'two'], ['maker']], instants }], outages, whole).violations
      .length;
  const out = (member: string, from: number, to: number): Outage => ({ member, from: from * second, to: to * second });

  it('rests for 15 seconds at most while one process could do it', () => {
    assert.equal(judge(everySecond(0, 100), []), 0);
    assert.equal(judge([...everySecond(0, 40), ...everySecond(54, 100)], []), 0);
    assert.equal(judge([...everySecond(0, 40), ...everySecond(56, 100)], []), 1);
    assert.equal(judge([...everySecond(0, 40), ...everySecond(56, 100)], [out('one', 30, 60)]), 1, 'the other could');
  });

  it('may rest while no process can do it, and for 15 seconds after that', () => {
    const outages = [out('one', 30, 60), out('two', 40, 70)];
    assert.equal(judge([...everySecond(0, 40), ...everySecond(74, 100)], outages), 0);
    assert.equal(judge([...everySecond(0, 40), ...everySecond(77, 100)], outages), 1);
    assert.equal(judge(everySecond(0, 80), []), 1, 'up to the end');
    assert.equal(judge([...everySecond(0, 40), ...everySecond(74, 100)], [out('maker', 41, 70)]), 0, 'nothing to do');
  });
});

describe('faults', () => {
  const done = faultKinds.map((kind) => ({ kind, what: 'one', from: 0, to: 1 }));
  const violations = (verdicts: readonly { readonly violations: readonly string[] }[]): readonly string[] =>
    verdicts.flatMap((verdict) => verdict.violations);
  const start = (to: number): Outage => ({ member: 'one', from: 10_000, to });

  it('include every kind, and killed processes are ready again within 15 seconds', () => {
    const judged = (all: typeof done, to: number, outages: readonly Outage[] = []): readonly string[] =>
      violations(judgeFaults({ done: all, starts: [start(to)], outages: [...outages, start(to)] }));
    assert.deepEqual(judged(done, 24_900), []);
    assert.deepEqual(judged(done.slice(1), 25_100), [
      'never done: kill -9, started again later',
      'a start took 15.1 s',
    ]);
    const away = { member: 'one', from: 5000, to: 12_000 };
    assert.deepEqual(judged(done, 26_900, [away]), [], 'after the database is available');
    assert.deepEqual(judged(done, 27_100, [away]), ['a start took 15.1 s']);
    assert.deepEqual(judged(done, 26_900, [{ ...away, member: 'two' }]), ['a start took 16.9 s']);
  });

  it('have an effect: a successful commit lost its response', () => {
    assert.deepEqual(violations([judgeDrops(done, 1), judgeDrops([], 0)]), []);
    assert.equal(violations([judgeDrops(done, 0)]).length, 1);
  });

  it('have an effect: a connection was cut', () => {
    assert.deepEqual(violations([judgeCuts(done, 1), judgeCuts([], 0)]), []);
    assert.deepEqual(violations([judgeCuts(done, 0)]), [], 'a single cut may find no connection');
    const often = violations([judgeCuts([...done, ...done, ...done], 0)]);
    assert.deepEqual(often, ['no connection was cut in 3 attempts']);
  });
});

describe('expected alerts', () => {
  const channel = { id: 1, secret: '', sendDegraded: false };
  const result = (slot: number, order: number, outcome: RecordedResult['outcome']): RecordedResult => {
    const at = slot * 10 * second;
    const id = `${slot}`;
    return {
      id,
      checkId: 'c',
      isScheduled: true,
      isTriggered: false,
      at,
      slots: 1,
      outcome,
      startedAt: at,
      stoppedAt: at + 5,
      order,
    };
  };
  const linesOf = (...results: readonly RecordedResult[]): string[] =>
    expectedAlerts('c', channel, results).map(({ line }) => line.replace(' of check c by result ', ' '));

  it('follow from results in the order of their slots', () => {
    assert.deepEqual(linesOf(result(1, 1, 'passed'), result(2, 2, 'failed'), result(3, 3, 'passed')), [
      'channel 1: ALERT_FAILURE 2',
      'channel 1: ALERT_RECOVERY 3',
    ]);
  });

  it('ignore a result recorded after that of a newer slot', () => {
    assert.deepEqual(linesOf(result(1, 1, 'passed'), result(2, 3, 'failed'), result(3, 2, 'passed')), []);
  });

  it('include a result recorded after a newer slot was missed', () => {
    assert.deepEqual(linesOf(result(1, 1, 'passed'), result(2, 3, 'failed'), result(3, 2, 'missed')), [
      'channel 1: ALERT_FAILURE 2',
    ]);
  });
});
