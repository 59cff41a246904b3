// Slots of a due schedule: the current one runs, earlier ones are missed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { planRuns, type Schedule } from './plan-runs.ts';

const due = Date.UTC(2026, 2, 10, 12);
const schedule: Schedule = {
  nextDueAt: due,
  until: due,
  intervalMs: 10_000,
  phaseMs: 0,
  locations: [],
  runParallel: false,
};
const served = ['local', 'paris', 'lima'];

describe('a due schedule', () => {
  const rows: readonly [what: string, lateMs: number, missed: number][] = [
    ['exactly on time', 0, 0],
    ['a moment late', 1, 0],
    ['at the last ms of its slot', 9_999, 0],
    ['at the ms in which the next slot begins', 10_000, 1],
    ['at the last ms of the next slot', 19_999, 1],
    ['an hour late', 3_600_000, 360],
  ];
  for (const [what, lateMs, missed] of rows) {
    it(`${what}: runs the current slot and misses ${missed}`, () => {
      const plan = planRuns({ ...schedule, until: due + lateMs }, due + lateMs, served);
      const slotAt = due + missed * 10_000;
      assert.deepEqual(plan, {
        runs: [{ slotAt, dueAt: due + lateMs - slotAt < 1000 ? slotAt : due + lateMs, location: 'local' }],
        missed: missed === 0 ? [] : [{ slotAt: due, slots: missed, location: 'local' }],
        nextDueAt: slotAt + 10_000,
      });
    });
  }

  it('is on time up to a tenth of its interval, at most two seconds', () => {
    const rows: readonly [intervalMs: number, lateMs: number, isOnTime: boolean][] = [
      [10_000, 999, true],
      [10_000, 1000, false],
      [60_000, 1999, true],
      [60_000, 2000, false],
    ];
    for (const [intervalMs, lateMs, isOnTime] of rows) {
      const late = { ...schedule, until: due + lateMs, intervalMs, phaseMs: 500 };
      assert.equal(planRuns(late, due + lateMs, served).runs[0]?.dueAt === due, isOnTime, `${lateMs} of ${intervalMs}`);
    }
  });

  it('spreads late starts over the rest of their slot', () => {
    const starts = [0, 100, 500, 1000].map((phaseMs) => {
      const plan = planRuns({ ...schedule, until: due + 20_000, intervalMs: 60_000, phaseMs }, due + 20_000, served);
      return (plan.runs[0]?.dueAt ?? 0) - due;
    });
    assert.deepEqual(starts, [20_000, 23_914, 39_573, 59_147]);
  });

  it('rotates through its locations, one per slot', () => {
    let present: Schedule = { ...schedule, locations: ['paris', 'lima', 'local'] };
    const seen: string[] = [];
    for (let slot = 0; slot < 6; slot++) {
      const plan = planRuns({ ...present, until: present.nextDueAt }, present.nextDueAt, served);
      seen.push(...plan.runs.map(({ location }) => location));
      present = { ...present, nextDueAt: plan.nextDueAt };
    }
    assert.deepEqual(seen, ['paris', 'lima', 'local', 'paris', 'lima', 'local']);
  });

  it('runs and misses in every location if it is parallel', () => {
    const plan = planRuns(
      { ...schedule, until: due + 20_000, locations: ['paris', 'lima'], runParallel: true },
      due + 20_000,
      served,
    );
    assert.deepEqual(plan.runs, [
      { slotAt: due + 20_000, dueAt: due + 20_000, location: 'paris' },
      { slotAt: due + 20_000, dueAt: due + 20_000, location: 'lima' },
    ]);
    assert.deepEqual(plan.missed, [
      { slotAt: due, slots: 2, location: 'paris' },
      { slotAt: due, slots: 2, location: 'lima' },
    ]);
  });

  it('runs at the available locations of its own list, and waits there if none is available', () => {
    const places = (locations: string[], at: readonly string[], runParallel = true): string[] =>
      planRuns({ ...schedule, runParallel, locations }, due, at).runs.map(({ location }) => location);
    assert.deepEqual(places(['gone', 'lima'], served), ['lima']);
    assert.deepEqual(places(['gone', 'lima'], served, false), ['lima']);
    assert.deepEqual(places(['gone'], served), ['gone']);
    assert.deepEqual(places(['gone', 'lost'], served), ['gone', 'lost']);
    assert.deepEqual(places(['gone'], ['local'], false), ['gone']);
    assert.deepEqual(places([], served), ['local'], 'this server’s own without a list only');
  });

  it('runs once in a location that is listed twice', () => {
    const until = due + 10_000;
    const plan = planRuns({ ...schedule, until, runParallel: true, locations: ['lima', 'lima'] }, until, served);
    assert.equal(plan.runs.length, 1);
    assert.equal(plan.missed.length, 1);
  });

  it('that is planned up to an instant misses even the last slot if the next one has begun', () => {
    const until = due + 15_000;
    const plan = planRuns({ ...schedule, until }, due + 20_000, served);
    assert.deepEqual(plan, {
      runs: [],
      missed: [{ slotAt: due, slots: 2, location: 'local' }],
      nextDueAt: due + 20_000,
    });
    assert.equal(planRuns({ ...schedule, until }, due + 19_999, served).runs[0]?.slotAt, due + 10_000);
  });

  it('gives every slot one outcome, however late and irregularly it is planned', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 47_000 }), { maxLength: 40 }), (pauses) => {
        let present = schedule;
        let now = due;
        const filled: number[] = [];
        for (const pause of pauses) {
          now += pause;
          if (now < present.nextDueAt) continue;
          const plan = planRuns({ ...present, until: now }, now, served);
          for (const { slotAt, slots } of plan.missed) {
            for (let slot = 0; slot < slots; slot++) filled.push(slotAt + slot * 10_000);
          }
          filled.push(...plan.runs.map(({ slotAt }) => slotAt));
          assert.ok(plan.nextDueAt > now);
          present = { ...present, nextDueAt: plan.nextDueAt };
        }
        assert.deepEqual(
          filled,
          filled.map((_, slot) => due + slot * 10_000),
        );
      }),
    );
  });
});
