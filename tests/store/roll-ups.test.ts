// Roll-ups are what their results come to, however turns, late results, clocks and crashes fall.
import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { closedAfterMs, dayMs, dayOf, emptyRollUp, hourMs, hourOf, isLate, type RollUp } from '#domain/roll-up.ts';
import { quantileOf } from '#domain/sketch.ts';
import { newId } from '#lib/id.ts';
import type { Outcome } from '#domain/result.ts';
import { idBytes, idText } from '#store/codec.ts';
import { writtenProgress } from '#store/roll-up-progress.ts';
import { rollUpOf } from '#store/roll-up-rows.ts';
import type { RollUpsTable } from '#store/roll-up-tables.ts';
import type { RawRows } from '../support/raw-rows.ts';
import { test } from '../support/each-engine.ts';
import { nobodyHears } from '../support/records.ts';
import { insertRow, putAccount, putCheck, putResult } from '../support/rows.ts';
import type { TempStore } from '../support/temp-store.ts';

const minuteMs = 60_000;
const keptMs = 30 * dayMs;
const noon = Date.UTC(2026, 2, 10, 12);

/** A result as the model of a test knows it. */
interface Fact {
  readonly checkId: string;
  readonly location: string;
  readonly at: number;
  readonly isFinal: boolean;
  readonly outcome: Outcome;
  readonly slots: number;
  readonly responseUs: number | null;
  /** null = a run on demand. */
  readonly intervalMs: number | null;
}

/** Records a result at the present time of the store, with the mark that recording makes. */
function record(temp: TempStore, accountId: string, fact: Fact): void {
  putResult(temp.raw, accountId, fact.checkId, fact.at, {
    id: idAt(fact.at),
    ...(fact.isFinal ? {} : { runId: newId() }),
    outcome: fact.outcome,
    location: fact.location,
    slots: fact.slots,
    responseUs: fact.responseUs,
    intervalMs: fact.intervalMs,
  });
  if (isLate(fact.at, temp.clock.now())) mark(temp.raw, accountId, fact.checkId, hourOf(fact.at));
}

function idAt(at: number): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}${newId().slice(13)}`;
}

function mark(raw: RawRows, accountId: string, checkId: string, startAt: number): void {
  const key = { account_id: idBytes(accountId), check_id: idBytes(checkId), start_at: startAt };
  const where = 'WHERE account_id = ? AND check_id = ? AND start_at = ?';
  const values = [key.account_id, key.check_id, key.start_at] as const;
  if (raw.prepare(`SELECT 1 AS one FROM late_hours ${where}`).get(...values) === undefined) {
    insertRow(raw, 'late_hours', { ...key, touched: 1 });
  } else raw.prepare(`UPDATE late_hours SET touched = touched + 1 ${where}`).run(...values);
}

async function rollUpAll({ store, clock }: TempStore): Promise<void> {
  for (let turn = 0; turn < 5000; turn++) {
    if ((await store.rollUps.turn(clock.now(), keptMs)).isThrough) return;
  }
  throw new Error('rolling up does not end');
}

/** Slots of facts, one by one: what a roll-up must come to, worked out without one. */
function slotsOf(facts: readonly Fact[]): (Fact & { readonly slotAt: number })[] {
  return facts.flatMap((fact) =>
    Array.from({ length: fact.slots }, (_, index) => ({ ...fact, slotAt: fact.at + index * minuteMs })),
  );
}

type Sums = Omit<RollUp, 'responses' | 'failedResponses'> & {
  readonly times: number;
  readonly failedTimes: number;
  readonly median: number;
};

/** @param location null = all together */
function sumsOf(facts: readonly Fact[], from: number, to: number, location: string | null): Sums {
  const slots = slotsOf(facts).filter(
    (slot) => slot.slotAt >= from && slot.slotAt < to && (location === null || slot.location === location),
  );
  const final = slots.filter(({ isFinal }) => isFinal);
  const of = (...outcomes: Outcome[]) => final.filter(({ outcome }) => outcomes.includes(outcome));
  const count = (...outcomes: Outcome[]) => of(...outcomes).length;
  const time = (...outcomes: Outcome[]) => of(...outcomes).reduce((sum, { intervalMs }) => sum + (intervalMs ?? 0), 0);
  const times = final
    .filter(({ outcome }) => outcome === 'passed' || outcome === 'degraded')
    .flatMap(({ responseUs }) => responseUs ?? []);
  const sorted = times.toSorted((a, b) => a - b);
  return {
    passed: count('passed'),
    degraded: count('degraded'),
    failed: count('failed'),
    unknown: count('unknown'),
    missed: count('missed'),
    retries: slots.length - final.length,
    knownMs: time('passed', 'degraded', 'failed'),
    downMs: time('failed'),
    unknownMs: time('unknown', 'missed'),
    times: times.length,
    failedTimes: of('failed').filter(({ responseUs }) => responseUs !== null).length,
    median: sorted[Math.ceil(sorted.length / 2) - 1] ?? 0,
  };
}

/** The same of a roll-up; the median is compared within its error, and then taken from the facts. */
function comparable(rollUp: RollUp, wanted: Sums): Sums {
  const { passed, degraded, failed, unknown, missed, retries, knownMs, downMs, unknownMs, responses } = rollUp;
  const counts = { passed, degraded, failed, unknown, missed, retries, knownMs, downMs, unknownMs };
  const median = quantileOf(responses.sketch, 0.5) ?? 0;
  assert.ok(Math.abs(median - wanted.median) <= wanted.median * 0.011, `median ${median} for ${wanted.median}`);
  const failedTimes = rollUp.failedResponses.count;
  return { ...counts, times: responses.count, failedTimes, median: wanted.median };
}

/** Facts that a stretch beyond its hour keeps out of the roll-ups. */
const isShort = ({ at, slots }: Fact): boolean => hourOf(at + (slots - 1) * minuteMs) === hourOf(at);

/** Every roll-up that is stored is what its results come to, and none is missing. */
function assertRollUps(raw: RawRows, facts: readonly Fact[]): void {
  const rows = raw.prepare('SELECT * FROM roll_ups').all() as unknown as RollUpsTable[];
  const short = facts.filter(isShort);
  const wanted = new Set<string>();
  for (const { checkId, location, at } of short) {
    wanted.add([checkId, 0, hourOf(at), location].join('/'));
    wanted.add([checkId, 1, dayOf(at), location].join('/'));
  }
  const keyOf = (row: RollUpsTable) => [idText(row.check_id), row.span, row.start_at, row.location].join('/');
  assert.deepEqual(rows.map(keyOf).sort(), [...wanted].sort());
  for (const row of rows) {
    const of = short.filter(({ checkId }) => checkId === idText(row.check_id));
    const sums = sumsOf(of, row.start_at, row.start_at + (row.span === 1 ? dayMs : hourMs), row.location);
    assert.deepEqual(comparable(rollUpOf(row), sums), sums);
  }
}

/** What the store says of a span is what the facts come to, whatever is rolled up by now. */
async function assertCurrent(temp: TempStore, accountId: string, facts: readonly Fact[], pieceMs: number) {
  const checkIds = [...new Set(facts.map(({ checkId }) => checkId))];
  if (checkIds.length === 0) return;
  const from = noon - 2 * dayMs - 12 * hourMs;
  const to = noon + 3 * dayMs;
  const { pieces, stretches } = await temp.store.checkHistory.read(accountId, checkIds, { from, to, pieceMs });
  const whole = await temp.store.checkHistory.sums(accountId, checkIds, { from, to });
  for (const checkId of checkIds) {
    const own = facts.filter((fact) => fact.checkId === checkId);
    const wantedWhole = sumsOf(own, from, to, null);
    assert.deepEqual(comparable(whole.get(checkId) ?? emptyRollUp(), wantedWhole), wantedWhole);
    const ofCheck = pieces.filter((piece) => piece.checkId === checkId);
    const sums = { passed: 0, failed: 0, missed: 0, retries: 0, knownMs: 0 };
    for (const { rollUp } of ofCheck) {
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += rollUp[name];
    }
    const wanted = ['a', 'b'].map((location) => sumsOf(own.filter(isShort), from, to, location));
    const total = (name: keyof typeof sums) => wanted.reduce((sum, each) => sum + each[name], 0);
    assert.deepEqual(
      sums,
      Object.fromEntries(Object.keys(sums).map((name) => [name, total(name as keyof typeof sums)])),
    );
    const long = stretches.filter((stretch) => stretch.checkId === checkId);
    assert.deepEqual(
      long.map(({ slotAt, slots, location }) => [slotAt, slots, location].join('/')).sort(),
      own
        .filter((fact) => !isShort(fact))
        .map(({ at, slots, location }) => [at, slots, location].join('/'))
        .sort(),
    );
  }
}

/** Time passes; when it is set back, everything that waits moves with it. */
async function pass({ store, clock }: TempStore, ms: number): Promise<void> {
  clock.turn(ms);
  if (ms < 0) await store.path.moveWithClock(ms, clock.now());
}

/** The next turn ends before its commit: the row that says how far roll-ups are may not be written. */
async function crashNextTurn({ store, clock, raw }: TempStore): Promise<void> {
  const value = raw.prepare(`SELECT value FROM installation WHERE key = 'rolled-up'`).get()?.['value'];
  if (typeof value !== 'string') return;
  raw.exec(`CREATE UNIQUE INDEX crash ON installation ((length(key) * 0))
    WHERE key = 'crash' OR (key = 'rolled-up' AND value <> '${value}')`);
  insertRow(raw, 'installation', { key: 'crash', value: '' });
  await store.rollUps.turn(clock.now(), keptMs).catch(() => undefined);
  raw.exec(`DROP INDEX crash`);
  raw.exec(`DELETE FROM installation WHERE key = 'crash'`);
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
});
const step = fc.oneof(
  { weight: 8, arbitrary: recorded },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('turn' as const), turns: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 180 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('pass' as const), minutes: fc.integer({ min: -90, max: -1 }) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('crash' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('look' as const) }) },
);

test('every hour and day comes to what its results come to, whatever comes late, crashes or is asked meanwhile', async (newStore) => {
  // Each statement of a run is a journey to the server: fewer runs there.
  await using first = await newStore(noon);
  const numRuns = first.isShared ? 5 : 25;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), async (steps) => {
      await using temp = await newStore(noon);
      const accountId = putAccount(temp.raw);
      const checks = Array.from({ length: 3 }, () => putCheck(temp.raw, accountId, { createdAt: noon - 2 * hourMs }));
      const facts: Fact[] = [];
      for (const each of steps) {
        if (each.does === 'pass') await pass(temp, each.minutes * minuteMs);
        else if (each.does === 'crash') await crashNextTurn(temp);
        else if (each.does === 'look') await assertCurrent(temp, accountId, facts, hourMs);
        else if (each.does === 'turn') {
          for (let turn = 0; turn < each.turns; turn++) await temp.store.rollUps.turn(temp.clock.now(), keptMs);
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
      temp.clock.turn(lastAt + 2 * dayMs - temp.clock.now());
      await rollUpAll(temp);
      assertRollUps(temp.raw, facts);
      await assertCurrent(temp, accountId, facts, dayMs);
    }),
    { numRuns, endOnFailure: true },
  );
});

const fact = (checkId: string, at: number, change: Partial<Fact> = {}): Fact => ({
  checkId,
  location: 'a',
  at,
  isFinal: true,
  outcome: 'passed',
  slots: 1,
  responseUs: 1000,
  intervalMs: minuteMs,
  ...change,
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
  putResult(raw, accountId, checkId, oldAt, { intervalMs: minuteMs });
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
  assertRollUps(raw, [fact(checkId, oldAt, { location: 'local', responseUs: 12_345 }), late]);
  // What comes later still can no longer be told from what is gone: it does not take the place of the whole.
  record(temp, accountId, fact(checkId, oldAt + 2 * minuteMs));
  await rollUpAllOf(temp, 40 * dayMs);
  assertRollUps(raw, [fact(checkId, oldAt, { location: 'local', responseUs: 12_345 }), late]);
});

async function rollUpAllOf({ store, clock }: TempStore, resultsKeptMs: number): Promise<void> {
  while (!(await store.rollUps.turn(clock.now(), resultsKeptMs)).isThrough);
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
  assert.equal(await store.checks.remove(accountId, gone, nobodyHears), true);
  for (const table of ['roll_ups', 'missed_stretches']) {
    const left = raw.prepare(`SELECT check_id FROM ${table}`).all();
    assert.deepEqual([...new Set(left.map((row) => idText(row['check_id'] as Uint8Array)))], [kept], table);
  }
  assert.equal(raw.prepare('SELECT count(*) AS n FROM late_hours').get()?.['n'], 0);
});

test('it is told up to when results of all checks are rolled up', async (newStore) => {
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
  clock.turn(closedAfterMs - 1);
  await rollUpAll(temp);
  assert.equal(await figures.rolledUpTo(), noon - hourMs);
  clock.turn(1);
  await rollUpAll(temp);
  assert.equal(await figures.rolledUpTo(), noon);

  // A process ended in the middle of the next hour, with some of the checks done.
  clock.turn(hourMs);
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
  temp.clock.turn(dayMs);
  for (let round = 0; round < 40; round++) {
    await Promise.all(Array.from({ length: 4 }, () => temp.store.rollUps.turn(temp.clock.now(), keptMs)));
  }
  await rollUpAll(temp);
  assertRollUps(temp.raw, facts);
});
