// Schedules in step: every slot of every check has one outcome, however the rounds are cut, and no row is written for it.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Check } from '#domain/checks/check.ts';
import { nextSlot } from '#domain/checks/schedule.ts';
import { idBytes, idText, idTime } from '#store/base/codec.ts';
import { dueAtOf, inStep } from '#store/schedules/schedule-rounds.ts';
import type { ScheduleRoundsTable, SchedulesTable } from '#store/base/tables/schedule-tables.ts';
import { it } from '../support/store/each-engine.ts';
import { numbers } from '../support/numbers.ts';
import { slotsBetween } from '../support/store/slots-of.ts';
import { PathUnderTest } from './path-under-test.ts';

/** Turns until nothing is due any more. */
async function catchUp(test: PathUnderTest, max: number): Promise<void> {
  for (let ticks = 0; ; ticks++) {
    const { nextDueAt } = await test.tick(max);
    if (nextDueAt === null || nextDueAt > test.now) return;
    assert.ok(ticks < 1000, 'it does not end');
  }
}

const schedules = (test: PathUnderTest): SchedulesTable[] =>
  test.rows('SELECT * FROM schedules ORDER BY check_id') as unknown as SchedulesTable[];
const rounds = (test: PathUnderTest): ScheduleRoundsTable[] =>
  test.rows('SELECT * FROM schedule_rounds ORDER BY interval_ms') as unknown as ScheduleRoundsTable[];

/** Slots with an outcome or a run, of each check; those of a stretch are taken from what was due. */
function foundSlots(test: PathUnderTest, dueOf: ReadonlyMap<string, readonly number[]>): Map<string, number[]> {
  const found = new Map([...dueOf.keys()].map((id): [string, number[]] => [id, []]));
  for (const { check_id, id, slots } of test.rows(
    'SELECT check_id, id, slots FROM results UNION ALL SELECT check_id, id, 1 FROM runs',
  )) {
    const checkId = idText(check_id as Uint8Array);
    const due = dueOf.get(checkId) ?? [];
    const at = due.indexOf(idTime(id as Uint8Array));
    assert.ok(at >= 0, 'recorded, and never due');
    found.get(checkId)?.push(...due.slice(at, at + Number(slots)));
  }
  for (const slots of found.values()) slots.sort((a, b) => a - b);
  return found;
}

it('a schedule that was planned once goes on in step with its interval, and its row is not written again', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  for (let count = 0; count < 5; count++) await test.add({ frequency: 0, frequencyOffset: 10 });
  test.temp.clock.advance(10_000);
  await catchUp(test, 100);
  const before = schedules(test);
  assert.ok(before.every(({ next_due_at }) => next_due_at === inStep));
  for (let slot = 0; slot < 4; slot++) {
    test.temp.clock.advance(10_000);
    await catchUp(test, 100);
  }
  assert.deepEqual(schedules(test), before);
  assert.equal(test.one('SELECT count(*) FROM runs'), 25);
  assert.equal(rounds(test).length, 1);
});

it('schedules in step run where each of them says, and at once where it says so', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const add = (change: Partial<Check>) => test.add({ frequency: 0, frequencyOffset: 10, ...change });
  const [here, there, both] = [
    await add({}),
    await add({ locations: ['there'] }),
    await add({ locations: ['there', 'far'], runParallel: true }),
  ];
  const tick = async (): Promise<void> => {
    test.temp.clock.advance(10_000);
    await test.schedule('overload', ['local', 'there', 'far']);
  };
  await tick();
  assert.ok(schedules(test).every(({ next_due_at }) => next_due_at === inStep));
  test.temp.raw.exec('DELETE FROM runs');
  await tick();
  const ran = test.rows('SELECT check_id, location FROM runs ORDER BY check_id, location');
  const expected = [
    [here, 'local'],
    [there, 'there'],
    [both, 'far'],
    [both, 'there'],
  ].map(([check, location]) => [(check as Check).id, location]);
  assert.deepEqual(
    ran.map(({ check_id, location }) => [idText(check_id as Uint8Array), location]),
    expected,
  );
});

it('a round of which nothing is left ends, and begins anew with the next schedule of its interval', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { id } = await test.add({ frequency: 0, frequencyOffset: 10 });
  test.temp.clock.advance(10_000);
  await catchUp(test, 100);
  assert.equal(rounds(test).length, 1);
  await test.edit(id, { activated: false });
  assert.equal((await test.tick(100)).nextDueAt, null);
  assert.deepEqual(rounds(test), []);
  await test.edit(id, { activated: true });
  test.temp.clock.advance(10_000);
  await catchUp(test, 100);
  assert.equal(rounds(test).length, 1);
  assert.equal(test.one('SELECT count(*) FROM runs'), 2);
});

it('a standstill is caught up with in as many turns as it takes, and says when the next is due', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const checks: Check[] = [];
  for (let count = 0; count < 12; count++) checks.push(await test.add({ frequency: 1, frequencyOffset: null }));
  test.temp.clock.advance(60_000);
  await catchUp(test, 100);
  test.temp.clock.advance(600_000);
  for (let ticks = 0; ticks < 2; ticks++) {
    const { schedules, runs, missed, nextDueAt } = await test.tick(5);
    assert.deepEqual([schedules, runs, missed, nextDueAt], [5, 5, 45, test.now]);
  }
  const last = await test.tick(5);
  assert.deepEqual([last.schedules, last.runs, last.missed], [2, 2, 18]);
  const next = checks.map((check) => slotsBetween(check, test.now, test.now + 60_000)[0] ?? 0);
  assert.equal(last.nextDueAt, Math.min(...next));
  assert.equal(test.difference(), 0);
});

it('schedules with a time of their own, however many are due, do not keep those in step from being planned', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { id } = await test.add({ frequency: 0, frequencyOffset: 10 });
  test.temp.clock.advance(10_000);
  await catchUp(test, 100);
  for (let count = 0; count < 20; count++) await test.add({ frequency: 0, frequencyOffset: 10 });
  test.temp.clock.advance(10_000);
  const planned = (): number =>
    test.rows('SELECT check_id FROM runs').filter(({ check_id }) => idText(check_id as Uint8Array) === id).length;
  const before = planned();
  const { schedules: taken, nextDueAt } = await test.tick(8);
  assert.deepEqual([planned() - before, taken, nextDueAt], [1, 7, test.now], 'one of two that are kept for them');
  await catchUp(test, 8);
  assert.equal(test.one('SELECT count(*) FROM runs'), 22);
  assert.equal(test.difference(), 0);
});

it('the remaining plan of a round in progress is known for every schedule', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  for (let count = 0; count < 30; count++)
    await test.add({ frequency: 1, frequencyOffset: count % 3 === 0 ? 17 : null });
  test.temp.clock.advance(60_000);
  await catchUp(test, 100);
  for (const [waitMs, max] of [
    [150_000, 7],
    [30_000, 5],
    [20_000, 3],
  ] as const) {
    test.temp.clock.advance(waitMs);
    await test.tick(max);
    const [round] = rounds(test);
    assert.ok(round !== undefined && round.round_to !== null, 'a round is in progress');
    const known = schedules(test).map((row) => dueAtOf(row, round));
    const to = round.round_to;
    assert.ok(known.some((at) => at > to) && known.some((at) => at <= to));
  }
});

const edits: readonly Partial<Check>[] = [
  { activated: true },
  { activated: true },
  { frequency: 0, frequencyOffset: 10 },
  { frequency: 0, frequencyOffset: 30 },
  { frequency: 1, frequencyOffset: null },
  { frequency: 1, frequencyOffset: 7 },
  { activated: false },
];

describe('every due slot of many checks that are edited while rounds are in progress', () => {
  for (let seed = 1; seed <= 2; seed++) {
    it(`has exactly one outcome (${seed})`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const next = numbers(seed);
      const some = <Value>(values: readonly Value[]): Value => {
        const value = values[Math.floor(next() * values.length)];
        assert.ok(value !== undefined);
        return value;
      };
      const checks: Check[] = [];
      for (let count = 0; count < 8; count++) {
        const id = `${seed}${count}000000-0000-4000-8000-000000000000`;
        checks.push(await test.add({ id, frequency: 0, frequencyOffset: some([10, 30]) }));
      }
      const due = new Map(checks.map(({ id }): [string, number[]] => [id, []]));
      for (let step = 0; step < 60; step++) {
        const from = test.now;
        test.temp.clock.advance(Math.floor(next() * (next() < 0.2 ? 120_000 : 8000)));
        for (const check of checks) due.get(check.id)?.push(...slotsBetween(check, from, test.now));
        const work: Promise<unknown>[] = [];
        for (let ticks = Math.floor(next() * 3); ticks > 0; ticks--) work.push(test.tick(1 + Math.floor(next() * 6)));
        if (next() < 0.5) {
          const index = Math.floor(next() * checks.length);
          const edited = test.edit(checks[index]?.id ?? '', some(edits)).then((check) => (checks[index] = check));
          work.push(edited);
        }
        await Promise.all(work);
      }
      await catchUp(test, 4);
      assert.deepEqual(foundSlots(test, due), due);
      assert.ok([...due.values()].flat().length > 200);
      assert.equal(test.difference(), 0);
    });
  }
});

it('a schedule that was moved by an older version keeps its own time until it is planned once more', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { id } = await test.add({ frequency: 0, frequencyOffset: 10 });
  test.temp.clock.advance(10_000);
  await catchUp(test, 100);
  const [row] = schedules(test);
  assert.ok(row !== undefined);
  const next = nextSlot(test.now + 1, row.interval_ms, row.phase_ms);
  test.temp.raw.prepare('UPDATE schedules SET next_due_at = ? WHERE check_id = ?').run(next, idBytes(id));
  await test.tick(100);
  assert.equal(schedules(test)[0]?.next_due_at, next);
  test.temp.clock.advance(10_000);
  await catchUp(test, 100);
  assert.equal(schedules(test)[0]?.next_due_at, inStep);
  assert.equal(test.one('SELECT count(*) FROM runs'), 2);
  assert.equal(test.difference(), 0);
});

it('a check that is deleted while its slot is planned leaves no run behind', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const checks: Check[] = [];
  for (let count = 0; count < 40; count++) checks.push(await test.add({ frequency: 0, frequencyOffset: 10 }));
  test.temp.clock.advance(10_000);
  await catchUp(test, 100);
  for (const { id } of checks) {
    test.temp.clock.advance(10_000);
    const removed = test.remove(id);
    await Promise.all([test.tick(100), removed, test.tick(100)]);
    assert.equal(await removed, true);
  }
  assert.equal(test.one('SELECT count(*) FROM runs'), 0);
  assert.equal(test.difference(), 0);
});
