// Roll-ups are what their results come to, however turns, late results, clocks and crashes fall.
import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { closedAfterMs, dayMs, hourMs } from '#domain/results/roll-up.ts';
import type { Outcome } from '#domain/results/result.ts';
import { idBytes, idText } from '#store/base/codec.ts';
import { writtenProgress } from '#store/roll-ups/roll-up-progress.ts';
import { test } from '../support/store/each-engine.ts';
import { noNotifications } from '../support/store/records.ts';
import { putAccount, putCheck, putResult } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';
import {
  assertCurrent,
  assertRollUps,
  detailsOf,
  type Fact,
  fact,
  retentionMs,
  minuteMs,
  noon,
  record,
  rollUpAll,
} from './roll-up-facts.ts';

/** Time passes; when it is set back, everything that waits moves with it. */
async function pass({ store, clock }: TempStore, ms: number): Promise<void> {
  clock.advance(ms);
  if (ms < 0) await store.path.moveWithClock(ms, clock.now());
}

/** The next turn ends before its commit: the row that says how far roll-ups are may not be written. */
async function crashNextTick({ store, clock, raw, isShared }: TempStore): Promise<void> {
  const value = raw.prepare(`SELECT value FROM installation WHERE key = 'rolled-up'`).get()?.['value'];
  if (typeof value !== 'string') return;
  const [refuse, allow] = isShared ? refusalOfPostgres(value) : refusalOfSqlite(value);
  raw.exec(refuse);
  await store.rollUps.tick(clock.now(), retentionMs).catch(() => undefined);
  raw.exec(allow);
}

/** Statements that have another progress refused, and allowed again. A row that is there twice would be tried again for seconds. */
function refusalOfPostgres(value: string): [string, string] {
  const refuse = `ALTER TABLE installation ADD CONSTRAINT crash CHECK (key <> 'rolled-up' OR value = '${value}')`;
  return [refuse, 'ALTER TABLE installation DROP CONSTRAINT crash'];
}

function refusalOfSqlite(value: string): [string, string] {
  const refuse = `CREATE TRIGGER crash BEFORE UPDATE ON installation WHEN new.key = 'rolled-up' AND new.value <> '${value}'
    BEGIN SELECT raise(ABORT, 'refused'); END`;
  return [refuse, 'DROP TRIGGER crash'];
}

const recorded = fc.record({
  does: fc.constant('record' as const),
  check: fc.nat({ max: 2 }),
  location: fc.constantFrom('a', 'b'),
  agoMinutes: fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 120 }) }, { weight: 1, arbitrary: fc.nat({ max: 3000 }) }),
  isFinal: fc.boolean(),
  outcome: fc.constantFrom<Outcome>('passed', 'passed', 'degraded', 'failed', 'unknown', 'missed'),
  slots: fc.nat({ max: 90 }),
  responseUs: fc.option(fc.integer({ min: 100, max: 30_000_000 })),
  intervalMs: fc.constantFrom(minuteMs, minuteMs, minuteMs, minuteMs, 2 * minuteMs, null),
  status: fc.constantFrom(200, 200, 200, 404, 100, 503, 0),
  times: fc.array(fc.oneof(fc.nat({ max: 3000 }), fc.nat({ max: 30_000_000 })), { minLength: 5, maxLength: 5 }),
});
const step = fc.oneof(
  { weight: 8, arbitrary: recorded },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('tick' as const), ticks: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 180 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('pass' as const), minutes: fc.integer({ min: -90, max: -1 }) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('crash' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('inspect' as const) }) },
);

test('every hour and day comes to what its results come to, whatever comes late, crashes or is asked meanwhile', async (newStore, engine) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), async (steps) => {
      await using temp = await newStore(noon);
      const accountId = putAccount(temp.raw);
      const checks = Array.from({ length: 3 }, () => putCheck(temp.raw, accountId, { createdAt: noon - 2 * hourMs }));
      const facts: Fact[] = [];
      for (const each of steps) {
        if (each.does === 'pass') await pass(temp, each.minutes * minuteMs);
        else if (each.does === 'crash') await crashNextTick(temp);
        else if (each.does === 'inspect') await assertCurrent(temp, accountId, facts, hourMs);
        else if (each.does === 'tick') {
          for (let tick = 0; tick < each.ticks; tick++) await temp.store.rollUps.tick(temp.clock.now(), retentionMs);
        } else {
          const { check, agoMinutes, slots, does: _, ...rest } = each;
          const checkId = checks[check] ?? '';
          const at = temp.clock.now() - agoMinutes * minuteMs;
          const isStretch = each.outcome === 'missed' && each.isFinal && each.intervalMs === minuteMs;
          const fact = { ...rest, checkId, at, slots: isStretch ? slots + 1 : 1 };
          record(temp, accountId, fact);
          facts.push(fact);
        }
      }
      await assertCurrent(temp, accountId, facts, dayMs);
      // Until the day of the last fact is over, which may still be to come after the clock was set back.
      const lastAt = Math.max(temp.clock.now(), ...facts.map(({ at }) => at));
      temp.clock.advance(lastAt + 2 * dayMs - temp.clock.now());
      await rollUpAll(temp);
      assertRollUps(temp.raw, facts);
      await assertCurrent(temp, accountId, facts, dayMs);
    }),
    { numRuns: engine === 'SQLite' ? 15 : 3, endOnFailure: true },
  );
});

test('of no checks there is nothing to sum up', async (newStore) => {
  await using temp = await newStore(noon);
  const accountId = putAccount(temp.raw);
  const sums = await temp.store.checkHistory.sums(accountId, [], { from: noon - 3 * dayMs, to: noon });
  assert.equal(sums.size, 0);
});

test('what is recorded after the clock was set back to before the first check was made is rolled up, too', async (newStore) => {
  await using temp = await newStore(noon);
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId, { createdAt: noon - minuteMs });
  await pass(temp, -3 * hourMs);
  const early = fact(checkId, temp.clock.now() - minuteMs);
  record(temp, accountId, early);
  await pass(temp, dayMs);
  await rollUpAll(temp);
  assertRollUps(temp.raw, [early]);
});

test('no result goes before it is rolled up, nor while its hour waits to be rolled up anew', async (newStore) => {
  await using temp = await newStore(noon);
  const { store, raw, clock } = temp;
  const accountId = putAccount(raw);
  const checkId = putCheck(raw, accountId, { createdAt: noon - 40 * dayMs });
  const oldAt = noon - 31 * dayMs;
  const first = fact(checkId, oldAt, { location: 'local', responseUs: 12_345 });
  putResult(raw, accountId, checkId, oldAt, { intervalMs: minuteMs, details: detailsOf(first) });
  putResult(raw, accountId, checkId, noon, { intervalMs: minuteMs });
  const sweep = async (): Promise<unknown> => {
    const before = clock.now() - 30 * dayMs;
    const bound = await store.rollUps.release(before);
    let isThrough = false;
    while (!isThrough) ({ isThrough } = await store.retention.sweep(before, clock.now(), bound));
    return raw.prepare('SELECT count(*) AS n FROM results').get()?.['n'];
  };
  assert.equal(await sweep(), 2, 'nothing is rolled up yet');
  await rollUpAllOf(temp, 40 * dayMs);
  const late = fact(checkId, oldAt + minuteMs);
  record(temp, accountId, late);
  assert.equal(await sweep(), 3, 'an hour of the check is marked');
  await rollUpAllOf(temp, 40 * dayMs);
  assert.equal(await sweep(), 1);
  assertRollUps(raw, [first, late]);
  // Even later results are indistinguishable from deleted ones: they do not replace the hour.
  record(temp, accountId, fact(checkId, oldAt + 2 * minuteMs));
  await rollUpAllOf(temp, 40 * dayMs);
  assertRollUps(raw, [first, late]);
});

async function rollUpAllOf({ store, clock }: TempStore, resultRetentionMs: number): Promise<void> {
  while (!(await store.rollUps.tick(clock.now(), resultRetentionMs)).isThrough);
}

test('roll-ups go with their check, and those of others stay', async (newStore) => {
  await using temp = await newStore(noon);
  const { store, raw } = temp;
  const accountId = putAccount(raw);
  const [gone, kept] = [0, 1].map(() => putCheck(raw, accountId, { createdAt: noon - dayMs })) as [string, string];
  for (const checkId of [gone, kept]) {
    record(temp, accountId, fact(checkId, noon - 5 * hourMs));
    record(temp, accountId, fact(checkId, noon - 4 * hourMs, { outcome: 'missed', slots: 100, responseUs: null }));
  }
  await rollUpAll(temp);
  record(temp, accountId, fact(gone, noon - 5 * hourMs));
  assert.equal(await store.checks.remove(accountId, gone, noNotifications), true);
  for (const table of ['roll_ups', 'missed_stretches']) {
    const left = raw.prepare(`SELECT check_id FROM ${table}`).all();
    assert.deepEqual([...new Set(left.map((row) => idText(row['check_id'] as Uint8Array)))], [kept], table);
  }
  assert.equal(raw.prepare('SELECT count(*) AS n FROM late_hours').get()?.['n'], 0);
});

test('reports up to when the results of all checks are rolled up', async (newStore) => {
  await using temp = await newStore(noon);
  const { store, raw, clock } = temp;
  const { figures } = store;
  assert.equal(await figures.rolledUpTo(), null, 'nothing is rolled up yet');
  const accountId = putAccount(raw);
  const checkId = putCheck(raw, accountId, { createdAt: noon - 3 * hourMs });
  record(temp, accountId, fact(checkId, noon - 2 * hourMs));
  await rollUpAll(temp);
  assert.equal(
    await figures.rolledUpTo(),
    noon - hourMs,
    'the hour that has just ended stays open for what comes late',
  );
  clock.advance(closedAfterMs - 1);
  await rollUpAll(temp);
  assert.equal(await figures.rolledUpTo(), noon - hourMs);
  clock.advance(1);
  await rollUpAll(temp);
  assert.equal(await figures.rolledUpTo(), noon);

  // A process ended in the middle of the next hour, with some of the checks done.
  clock.advance(hourMs);
  const after = { accountId: idBytes(accountId), checkId: idBytes(checkId) };
  raw
    .prepare("UPDATE installation SET value = ? WHERE key = 'rolled-up'")
    .run(writtenProgress({ hourAt: noon, after }));
  assert.equal(await figures.rolledUpTo(), noon);
  await rollUpAll(temp);
  assert.equal(await figures.rolledUpTo(), noon + hourMs);
});

test('turns of several processes at once roll up each hour once', async (newStore) => {
  await using temp = await newStore(noon);
  const accountId = putAccount(temp.raw);
  const facts: Fact[] = [];
  for (let check = 0; check < 5; check++) {
    const checkId = putCheck(temp.raw, accountId, { createdAt: noon - 12 * hourMs });
    for (let slot = 0; slot < 24; slot++) facts.push(fact(checkId, noon - 12 * hourMs + slot * 30 * minuteMs));
  }
  for (const each of facts) record(temp, accountId, each);
  temp.clock.advance(dayMs);
  for (let round = 0; round < 40; round++) {
    await Promise.all(Array.from({ length: 4 }, () => temp.store.rollUps.tick(temp.clock.now(), retentionMs)));
  }
  await rollUpAll(temp);
  assertRollUps(temp.raw, facts);
});

test('roll-ups of a version that did not keep what they are made of are known as a whole, and not beyond', async (newStore) => {
  await using temp = await newStore(noon);
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId, { createdAt: noon - dayMs });
  const [early, later] = [noon - 5 * hourMs, noon - 4 * hourMs];
  for (const at of [early, early + minuteMs, later]) record(temp, accountId, fact(checkId, at));
  await rollUpAll(temp);
  temp.raw.exec(`UPDATE roll_ups SET by_status = NULL, phases = NULL WHERE start_at = ${early}`);
  const read = async () => {
    const question = { from: early, to: noon, pieceMs: hourMs };
    const ask = (parts: 'byStatus' | 'phases') =>
      temp.store.checkHistory.read(accountId, [checkId], { ...question, parts });
    const [codes, phases] = [await ask('byStatus'), await ask('phases')];
    return codes.pieces.map(({ startAt, rollUp: { passed, byStatus } }, index) => [
      startAt,
      passed,
      byStatus === null ? null : [...byStatus.keys()],
      phases.pieces[index]?.rollUp.phases?.get('tcp')?.responses.count ?? null,
    ]);
  };
  assert.deepEqual(await read(), [
    [early, 2, null, null],
    [later, 1, [200], 1],
  ]);
  // The day is made of them, and no more known than they are.
  temp.clock.advance(dayMs);
  await rollUpAll(temp);
  const days = temp.raw.prepare('SELECT passed, by_status, phases FROM roll_ups WHERE span = 1').all();
  assert.deepEqual(
    days.map((row) => [row['passed'], row['by_status'], row['phases']]),
    [[3, null, null]],
  );
  // What is rolled up anew knows them.
  record(temp, accountId, fact(checkId, early + 2 * minuteMs, { status: 404 }));
  await rollUpAll(temp);
  assert.deepEqual(await read(), [
    [early, 3, [200, 404], 3],
    [later, 1, [200], 1],
  ]);
});

test('what roll-ups are made of is not read unless it is asked for', async (newStore) => {
  await using temp = await newStore(noon);
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId, { createdAt: noon - dayMs });
  for (const at of [noon - 5 * hourMs, noon - minuteMs]) record(temp, accountId, fact(checkId, at));
  await rollUpAll(temp);
  for (const parts of [null, 'byStatus', 'phases'] as const) {
    const question = { from: noon - dayMs, to: noon, pieceMs: hourMs, parts };
    const { pieces } = await temp.store.checkHistory.read(accountId, [checkId], question);
    assert.equal(pieces.length, 2);
    for (const { rollUp } of pieces) {
      assert.deepEqual([rollUp.byStatus !== null, rollUp.phases !== null], [parts === 'byStatus', parts === 'phases']);
    }
  }
});
