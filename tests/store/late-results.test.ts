// Who records a result after its hour was rolled up marks the hour, so that the roll-ups come to hold it
// (docs/decisions/0040).
import assert from 'node:assert/strict';
import { dayMs, dayOf, emptyRollUp, hourMs } from '#domain/results/roll-up.ts';
import { it } from '../support/store/each-engine.ts';
import { minuteMs, noon, rollUpAll } from './roll-up-facts.ts';
import { PathUnderTest } from './path-under-test.ts';

/** A check that runs once an hour, and is due ten minutes from now. */
async function hourlyCheck(test: PathUnderTest): Promise<string> {
  test.temp.clock.advance(10 * minuteMs);
  const checkId = await test.check({ frequency: 60, frequencyOffset: null });
  test.temp.clock.advance(-10 * minuteMs);
  return checkId;
}

/** Turns the clock, and rolls up all that is to be rolled up by then: the hour of noon is. */
async function rollUpAt(test: PathUnderTest, at: number): Promise<void> {
  test.temp.clock.advance(at - test.now);
  await rollUpAll(test.temp);
  const rolledUpTo = await test.temp.store.figures.rolledUpTo();
  assert.ok(rolledUpTo !== null && rolledUpTo >= noon + hourMs, 'the hour is open still');
}

const outcomes = ['passed', 'degraded', 'failed', 'unknown', 'missed', 'retries'] as const;

/** Outcomes that the roll-ups of the hour from noon, and of its day, hold. */
function rolledUp(test: PathUnderTest, span: 'hour' | 'day'): Record<string, number> {
  const sums = outcomes.map((outcome) => `sum(${outcome}) AS ${outcome}`).join(', ');
  const where = span === 'hour' ? `span = 0 AND start_at = ${noon}` : 'span = 1';
  const [row = {}] = test.rows(`SELECT ${sums} FROM roll_ups WHERE ${where}`);
  return Object.fromEntries(outcomes.flatMap((name) => (Number(row[name]) > 0 ? [[name, Number(row[name])]] : [])));
}

/** What an overview shows of a check: of the hours since noon, and of the whole day; counts, and how many of them have times. */
async function shown(test: PathUnderTest, checkId: string): Promise<unknown[]> {
  const spans = [noon, dayOf(noon)].map(async (from) => {
    const sums = await test.temp.store.checkHistory.sums(test.accountId, [checkId], { from, to: dayOf(noon) + dayMs });
    const { passed, failed, retries, responses, failedResponses } = sums.get(checkId) ?? emptyRollUp();
    return [passed, failed, retries, responses.count, failedResponses.count];
  });
  return Promise.all(spans);
}

/** Everything that results were rolled up to. */
function allRolledUp(test: PathUnderTest): unknown {
  return ['roll_ups', 'missed_stretches'].map((table) => test.rows(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4, 5`));
}

/** What is rolled up by now is the same as when all results are rolled up from the first one on. */
async function assertNothingLeftOut(test: PathUnderTest): Promise<void> {
  const found = allRolledUp(test);
  for (const table of ['roll_ups', 'missed_stretches', 'late_hours']) test.temp.raw.exec(`DELETE FROM ${table}`);
  test.temp.raw.exec(`DELETE FROM installation WHERE key = 'rolled-up'`);
  // Checks of these cases are as old as their results.
  test.temp.raw.exec(`UPDATE checks SET created_at = ${noon}`);
  await rollUpAll(test.temp);
  assert.deepEqual(found, allRolledUp(test));
}

it('a run whose result is recorded after its hour was rolled up is in the roll-ups of the hour and of the day', async (newStore) => {
  await using test = await PathUnderTest.open(newStore, noon);
  const checkId = await test.check({ frequency: 1, frequencyOffset: null });
  await test.runAll('passed');
  test.temp.clock.advance(minuteMs);
  await test.schedule();
  const [claimed] = await test.claim();
  assert.ok(claimed !== undefined);
  const retry = { at: test.now, location: 'local' };
  await rollUpAt(test, noon + dayMs + hourMs);
  assert.deepEqual([rolledUp(test, 'hour'), rolledUp(test, 'day')], [{ passed: 1 }, { passed: 1 }]);
  const passed = [1, 0, 0, 1, 0];
  for (let asked = 0; asked < 2; asked++) assert.deepEqual(await shown(test, checkId), [passed, passed]);
  await test.record([test.ended(claimed, 'failed', { retry })]);
  await rollUpAll(test.temp);
  const retried = { passed: 1, retries: 1 };
  assert.deepEqual([rolledUp(test, 'hour'), rolledUp(test, 'day')], [retried, retried]);
  const [again] = await test.claim();
  assert.ok(again?.run.attempt === 2);
  await test.record([test.ended(again, 'failed')]);
  await rollUpAll(test.temp);
  const whole = { ...retried, failed: 1 };
  assert.deepEqual([rolledUp(test, 'hour'), rolledUp(test, 'day')], [whole, whole]);
  const failed = [1, 1, 1, 1, 1];
  for (let asked = 0; asked < 2; asked++) assert.deepEqual(await shown(test, checkId), [failed, failed]);
  await assertNothingLeftOut(test);
});

it('slots that the scheduler misses after their hour was rolled up are in the roll-ups, and long stretches beside them', async (newStore) => {
  await using test = await PathUnderTest.open(newStore, noon);
  await hourlyCheck(test);
  await rollUpAt(test, noon + hourMs + 15 * minuteMs);
  // The slot of this hour runs, that of the last one is missed.
  assert.deepEqual(await test.schedule().then(({ runs, missed }) => [runs, missed]), [1, 1]);
  assert.deepEqual(rolledUp(test, 'hour'), {});
  await rollUpAll(test.temp);
  assert.deepEqual(rolledUp(test, 'hour'), { missed: 1 });

  const slotAt = test.now;
  await test.check({ frequency: 1, frequencyOffset: null });
  await rollUpAt(test, noon + 3 * hourMs);
  await test.schedule();
  await rollUpAll(test.temp);
  assert.deepEqual(test.rows('SELECT slot_at, slots FROM missed_stretches'), [{ slot_at: slotAt, slots: 105 }]);
  await assertNothingLeftOut(test);
});

it('slots that are missed because their check is changed after their hour was rolled up are in the roll-ups', async (newStore) => {
  await using test = await PathUnderTest.open(newStore, noon);
  const checkId = await hourlyCheck(test);
  await rollUpAt(test, noon + hourMs + 5 * minuteMs);
  await test.edit(checkId, { activated: false });
  assert.deepEqual(test.rows('SELECT slots FROM results'), [{ slots: 1 }]);
  assert.deepEqual(rolledUp(test, 'hour'), {});
  await rollUpAll(test.temp);
  assert.deepEqual(rolledUp(test, 'hour'), { missed: 1 });
  await assertNothingLeftOut(test);
});
