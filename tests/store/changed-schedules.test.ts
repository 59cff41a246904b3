// A check is edited while slots of it are due: none of them is left without an outcome, none has two.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Check } from '#domain/check.ts';
import { planRuns } from '#domain/plan-runs.ts';
import { scheduleOf } from '#domain/schedule.ts';
import { reasonCodes } from '#store/codes.ts';
import { idTime } from '#store/codec.ts';
import { it } from '../support/each-engine.ts';
import { aCheck, aGroup } from '../support/records.ts';
import { PathUnderTest } from './path-under-test.ts';

/** Adds an activated check; it is due at its next slot. */
async function add(test: PathUnderTest, change: Partial<Check>): Promise<Check> {
  const saved = await test.temp.store.checks.add({
    check: aCheck(test.accountId, change),
    subscriptions: null,
    isAutoAssigned: false,
  });
  assert.ok('saved' in saved);
  return saved.saved.check;
}

async function edit(test: PathUnderTest, { id }: Check, change: Partial<Check>): Promise<Check> {
  const saved = await test.temp.store.checks.change(test.accountId, id, ({ check }) => ({
    check: { ...check, ...change },
    subscriptions: null,
    isAutoAssigned: false,
  }));
  assert.ok(saved !== null && 'saved' in saved);
  return saved.saved.check;
}

const recordedSlots = 'SELECT id, slots FROM results UNION ALL SELECT id, 1 FROM runs';

describe('slots that are due when their check is edited', () => {
  for (const [what, change] of [
    ['runs at another interval', { frequency: 1, frequencyOffset: null }],
    ['is deactivated', { activated: false }],
  ] as const) {
    it(`are recorded as missed with the reason when it ${what}`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const check = await add(test, { frequency: 0, frequencyOffset: 10 });
      const dueAt = Number(test.dueAt());
      test.temp.clock.turn(dueAt - test.now + 25_000);
      await edit(test, check, change);
      assert.deepEqual(test.rows('SELECT slots, reason, message, location FROM results'), [
        {
          slots: 3,
          reason: reasonCodes.encode('overload'),
          message: 'not run: the check was changed before it could be',
          location: 'local',
        },
      ]);
      assert.deepEqual(test.rows('SELECT scheduled, missed FROM run_counts'), [{ scheduled: 3, missed: 3 }]);
      assert.equal(test.difference(), 0);
    });
  }

  it('stay due when what changes does not move them', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const check = await add(test, { frequency: 0, frequencyOffset: 10 });
    const dueAt = Number(test.dueAt());
    test.temp.clock.turn(dueAt - test.now + 25_000);
    await edit(test, check, { name: 'Another' });
    assert.equal(test.dueAt(), dueAt);
    assert.equal(test.one('SELECT count(*) FROM results'), 0);
  });

  it('are recorded when their group is deactivated', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const saved = await test.temp.store.checkGroups.add({
      group: aGroup(test.accountId),
      subscriptions: null,
      isAutoAssigned: false,
    });
    assert.ok('saved' in saved);
    const { id } = saved.saved.group;
    await add(test, { frequency: 0, frequencyOffset: 10, groupId: id });
    test.temp.clock.turn(60_000);
    await test.temp.store.checkGroups.change(test.accountId, id, ({ group }) => ({
      group: { ...group, activated: false },
      subscriptions: null,
      isAutoAssigned: false,
    }));
    assert.equal(test.one('SELECT sum(slots) FROM results'), 6);
    assert.equal(test.difference(), 0);
  });
});

/** Numbers from 0 up to, without, 1: the same every time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

/** The slots after `from` up to `to`, by a check's own record alone. */
function slotsBetween(check: Check, from: number, to: number): number[] {
  const schedule = scheduleOf(check, null);
  const slots: number[] = [];
  if (schedule === null) return slots;
  for (let at = from + 1; at <= to; at++) if ((at - schedule.phaseMs) % schedule.intervalMs === 0) slots.push(at);
  return slots;
}

const edits: readonly Partial<Check>[] = [
  { activated: true },
  { activated: true },
  { activated: true },
  { frequency: 0, frequencyOffset: 10 },
  { frequency: 0, frequencyOffset: 30 },
  { frequency: 1, frequencyOffset: null },
  { frequency: 1, frequencyOffset: 7 },
  { activated: false },
  { activated: true },
  { locations: ['local'] },
];

describe('every due slot of a check that is edited at random times', () => {
  for (let seed = 1; seed <= 8; seed++) {
    it(`has exactly one outcome (${seed})`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const next = numbers(seed);
      const id = `0000000${seed}-0000-4000-8000-000000000000`;
      let check = await add(test, { id, frequency: 0, frequencyOffset: 10 });
      const due: number[] = [];
      for (let step = 0; step < 120; step++) {
        const from = test.now;
        const isOnSlot = next() < 0.3;
        const dueAt = test.dueAt() ?? 0;
        test.temp.clock.turn(isOnSlot && dueAt > from ? dueAt - from : Math.floor(next() * 45_000));
        due.push(...slotsBetween(check, from, test.now));
        if (next() < 0.5) await test.schedule();
        else check = await edit(test, check, edits[Math.floor(next() * edits.length)] ?? {});
      }
      await test.schedule();
      const found = test.rows(recordedSlots).flatMap(({ id, slots }) => {
        const at = due.indexOf(idTime(id as Uint8Array));
        assert.ok(at >= 0, 'recorded, and never due');
        return due.slice(at, at + Number(slots));
      });
      assert.deepEqual(
        found.toSorted((a, b) => a - b),
        due,
      );
      assert.ok(due.length > 30, `${due.length} slots`);
      assert.equal(test.difference(), 0);
    });
  }
});

it('a check that is deactivated and activated at once is not run twice for a slot, and not missed for it either', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const check = await add(test, { frequency: 0, frequencyOffset: 10 });
  const dueAt = Number(test.dueAt());
  test.temp.clock.turn(dueAt - test.now);
  await test.schedule();
  await edit(test, check, { activated: false });
  await edit(test, check, { activated: true });
  assert.equal(test.dueAt(), dueAt + 10_000);
  test.temp.clock.turn(25_000);
  const { missed } = await test.path.scheduleDue({
    now: test.now,
    most: 10,
    plan: (schedule) => planRuns(schedule, test.now, ['local']),
    missedReason: () => 'overload',
  });
  assert.equal(missed, 1);
  assert.equal(test.rows(recordedSlots).length, 3);
});
