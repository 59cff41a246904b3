// How many results a list says there are, when days of them are rolled up and others have gone.
import assert from 'node:assert/strict';
import { dayMs, hourMs } from '#domain/results/roll-up.ts';
import { idBytes } from '#store/base/codec.ts';
import { test } from '../support/store/each-engine.ts';
import { putAccount, putCheck, putResult } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';
import { type Fact, fact, minuteMs, noon, record, rollUpAll } from './roll-up-facts.ts';

const days = 6;

interface Filter {
  readonly from?: number;
  readonly to?: number;
  readonly resultType?: 'ALL';
}

interface Fixture {
  readonly accountId: string;
  readonly checkId: string;
  readonly facts: Fact[];
  /** Of final results, unless told otherwise. */
  readonly total: (filter?: Filter) => Promise<number>;
}

/** A check with results of some days, all rolled up but for those of today: of each day an attempt, and long and short stretches. */
async function fixtureOf(temp: TempStore): Promise<Fixture> {
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId, { createdAt: noon - days * dayMs });
  const facts: Fact[] = [];
  const today = temp.clock.now();
  temp.clock.advance(-days * dayMs);
  while (temp.clock.now() <= today) {
    const at = temp.clock.now();
    facts.push(
      fact(checkId, at),
      fact(checkId, at + minuteMs, { isFinal: false, outcome: 'failed' }),
      fact(checkId, at + 2 * minuteMs, { location: 'b', outcome: 'failed' }),
      fact(checkId, at + 3 * minuteMs, { outcome: 'missed', slots: 5 }),
      fact(checkId, at + 10 * minuteMs, { location: 'b', outcome: 'missed', slots: 90 }),
    );
    for (const each of facts.slice(-5)) record(temp, accountId, each);
    temp.clock.advance(dayMs);
  }
  temp.clock.advance(today - temp.clock.now());
  await rollUpAll(temp);
  return {
    accountId,
    checkId,
    facts,
    total: async (filter = {}) => {
      const question = { resultType: 'FINAL', ...filter } as const;
      return (await temp.store.checkResults.list(accountId, checkId, question, { limit: 1, offset: 0 })).total;
    },
  };
}

/** Final results of each day, and one that was tried again. */
const daily = 4;
const dailyWithAttempts = daily + 1;

test('the total of a list is that of its results, before and after days of them have gone', async (newStore) => {
  await using temp = await newStore(noon);
  const { total } = await fixtureOf(temp);
  assert.equal(await total(), (days + 1) * daily);
  assert.equal(await total({ from: noon - 2 * dayMs }), 3 * daily);
  assert.equal(await total({ from: noon - 3 * dayMs + minuteMs }), 4 * daily - 1);
  const before = noon - 3 * dayMs - 6 * hourMs;
  const bound = await temp.store.rollUps.release(before);
  // Counted as long as they are there, and no longer.
  const left = (): number =>
    Number(temp.raw.prepare('SELECT count(*) AS n FROM results WHERE run_id IS NULL').get()?.['n']);
  assert.equal(await total(), left());
  while (!(await temp.store.retention.sweep(before, noon, bound)).isThrough);
  assert.equal(left(), 4 * daily);
  assert.equal(await total(), left());
  assert.equal(await total({ from: noon - 2 * dayMs }), 3 * daily);
  assert.equal(await total({ resultType: 'ALL' }), 4 * dailyWithAttempts);
  assert.equal(await total({ from: noon - 10 * dayMs, to: noon - dayMs + 2 * minuteMs }), 2 * daily + 2);
});

test('bounds are met to the instant, also where one day ends and the next begins', async (newStore) => {
  await using temp = await newStore(noon);
  const { accountId, checkId, total } = await fixtureOf(temp);
  const midnight = noon - 12 * hourMs - dayMs;
  record(temp, accountId, fact(checkId, midnight));
  await rollUpAll(temp);
  assert.equal(await total({ from: midnight }), 2 * daily + 1);
  assert.equal(await total({ from: midnight + 1 }), 2 * daily);
  assert.equal(await total({ to: midnight - 1 }), (days - 1) * daily);
  assert.equal(await total({ to: midnight }), (days - 1) * daily + 1);
});

test('results count that are kept for longer than roll-ups', async (newStore) => {
  await using temp = await newStore(noon);
  const { accountId, checkId, total } = await fixtureOf(temp);
  for (const age of [740, 735]) putResult(temp.raw, accountId, checkId, noon - age * dayMs, { outcome: 'passed' });
  assert.equal(await total(), (days + 1) * daily + 2);
});

test('what comes late to the oldest day that is kept counts, though that day is not rolled up any more', async (newStore) => {
  await using temp = await newStore(noon);
  const { accountId, checkId, total } = await fixtureOf(temp);
  const kept = noon - 12 * hourMs - 3 * dayMs + 6 * hourMs;
  await temp.store.rollUps.release(kept);
  record(temp, accountId, fact(checkId, kept - 3 * hourMs));
  await rollUpAll(temp);
  assert.equal(await total(), (days + 1) * daily + 1);
});

test('what comes late counts at once', async (newStore) => {
  await using temp = await newStore(noon);
  const { accountId, checkId, total } = await fixtureOf(temp);
  record(temp, accountId, fact(checkId, noon - 3 * dayMs + hourMs));
  assert.equal(await total(), (days + 1) * daily + 1);
  await rollUpAll(temp);
  assert.equal(await total(), (days + 1) * daily + 1);
});

test('days that an older version rolled up are counted by their rows', async (newStore) => {
  await using temp = await newStore(noon);
  const { total } = await fixtureOf(temp);
  const third = noon - 12 * hourMs - 3 * dayMs;
  for (const unknown of ['location = ?', `location <> ? OR start_at = ${third}`, 'location <= ?']) {
    temp.raw.prepare(`UPDATE roll_ups SET final_results = NULL WHERE ${unknown}`).run('b');
    assert.equal(await total(), (days + 1) * daily, unknown);
    assert.equal(await total({ from: noon - 5 * dayMs }), 6 * daily, unknown);
    assert.equal(await total({ resultType: 'ALL' }), (days + 1) * dailyWithAttempts, unknown);
  }
});

test('of an account that moved only results count that came along', async (newStore) => {
  await using temp = await newStore(noon);
  const { accountId, checkId, total } = await fixtureOf(temp);
  // The other installation kept results for less long than roll-ups.
  const gone = (at: number): void => {
    const where = 'account_id = ? AND check_id = ? AND started_at < ?';
    temp.raw.prepare(`DELETE FROM results WHERE ${where}`).run(idBytes(accountId), idBytes(checkId), at);
  };
  gone(noon - 4 * dayMs + minuteMs);
  assert.equal(await total(), 5 * daily - 1);
  gone(noon - 2 * dayMs);
  assert.equal(await total(), 3 * daily);
  gone(noon + dayMs);
  assert.equal(await total(), 0);
});

test('of days that are rolled up no row is looked at where a server would look at all of them', async (newStore) => {
  await using temp = await newStore(noon);
  const { total } = await fixtureOf(temp);
  const yesterday = noon - 12 * hourMs - dayMs;
  temp.raw.exec(`UPDATE roll_ups SET final_results = final_results + 1000 WHERE span = 1 AND start_at = ${yesterday}`);
  // A file's are counted a slice at a time, from what is read anyway.
  const added = temp.isShared ? 2000 : 0;
  assert.equal(await total(), (days + 1) * daily + added);
});
