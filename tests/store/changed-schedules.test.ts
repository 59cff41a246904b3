// A check is edited while slots of it are due: none of them is left without an outcome, none has two.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Check } from '#domain/checks/check.ts';
import { reasonCodes } from '#store/base/codes.ts';
import { idTime } from '#store/base/codec.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { numbers } from '../support/numbers.ts';
import { aGroup } from '../support/store/records.ts';
import { slotsBetween } from '../support/store/slots-of.ts';
import { PathUnderTest } from './path-under-test.ts';

const recordedSlots = 'SELECT id, slots FROM results UNION ALL SELECT id, 1 FROM runs';

describe('slots that are due when their check is edited', () => {
  for (const [what, change] of [
    ['runs at another interval', { frequency: 1, frequencyOffset: null }],
    ['is deactivated', { activated: false }],
  ] as const) {
    it(`are recorded as missed with the reason when it ${what}`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const check = await test.add({ frequency: 0, frequencyOffset: 10 });
      const dueAt = Number(test.dueAt());
      test.temp.clock.advance(dueAt - test.now + 25_000);
      await test.edit(check.id, change);
      assert.deepEqual(test.rows('SELECT slots, reason, message, location FROM results'), [
        {
          slots: 3,
          reason: reasonCodes.encode('changed'),
          message: 'not run: the check was changed before it could be',
          location: 'local',
        },
      ]);
      assert.deepEqual(test.rows('SELECT scheduled, missed FROM account_counts'), [{ scheduled: 3, missed: 3 }]);
      assert.equal(test.difference(), 0);
    });
  }

  onSqlite('stay due when what changes does not move them', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const check = await test.add({ frequency: 0, frequencyOffset: 10 });
    const dueAt = Number(test.dueAt());
    test.temp.clock.advance(dueAt - test.now + 25_000);
    await test.edit(check.id, { name: 'Another' });
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
    await test.add({ frequency: 0, frequencyOffset: 10, groupId: id });
    test.temp.clock.advance(60_000);
    await test.temp.store.checkGroups.change(test.accountId, id, ({ group }) => ({
      group: { ...group, activated: false },
      subscriptions: null,
      isAutoAssigned: false,
    }));
    assert.equal(test.one('SELECT sum(slots) FROM results'), 6);
    assert.equal(test.difference(), 0);
  });
});

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
  for (let seed = 1; seed <= 3; seed++) {
    it(`has exactly one outcome (${seed})`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const next = numbers(seed);
      const id = `0000000${seed}-0000-4000-8000-000000000000`;
      let check = await test.add({ id, frequency: 0, frequencyOffset: 10 });
      const due: number[] = [];
      for (let step = 0; step < 120; step++) {
        const from = test.now;
        const isOnSlot = next() < 0.3;
        const dueAt = test.dueAt() ?? 0;
        test.temp.clock.advance(isOnSlot && dueAt > from ? dueAt - from : Math.floor(next() * 45_000));
        due.push(...slotsBetween(check, from, test.now));
        if (next() < 0.5) await test.schedule();
        else check = await test.edit(check.id, edits[Math.floor(next() * edits.length)] ?? {});
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
  const check = await test.add({ frequency: 0, frequencyOffset: 10 });
  const dueAt = Number(test.dueAt());
  test.temp.clock.advance(dueAt - test.now);
  await test.schedule();
  await test.edit(check.id, { activated: false });
  await test.edit(check.id, { activated: true });
  assert.equal(test.dueAt(), dueAt + 10_000);
  test.temp.clock.advance(25_000);
  const { missed } = await test.tick(10);
  assert.equal(missed, 1);
  assert.equal(test.rows(recordedSlots).length, 3);
});
