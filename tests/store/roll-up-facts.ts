// What results come to, worked out one by one, for roll-ups to be compared with.
import assert from 'node:assert/strict';
import {
  type DetailedRollUp,
  emptyDetailedRollUp,
  mergeDetailedRollUp,
  coarseError,
  coarseQuantileOf,
  phaseNames,
} from '#domain/results/detailed-roll-up.ts';
import {
  dayMs,
  dayOf,
  emptyResponses,
  emptyRollUp,
  hourMs,
  hourOf,
  isLate,
  type Responses,
  type RollUp,
} from '#domain/results/roll-up.ts';
import { quantileOf } from '#domain/results/sketch.ts';
import type { JsonValue } from '#domain/json.ts';
import { newId } from '#lib/id.ts';
import type { Outcome } from '#domain/results/result.ts';
import { idBytes, idText } from '#store/base/codec.ts';
import { detailedRollUpOf } from '#store/history/roll-up-rows.ts';
import type { RollUpsTable } from '#store/base/tables/roll-up-tables.ts';
import type { RawRows } from '../support/store/raw-rows.ts';
import { insertRow, putResult } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';

export const minuteMs = 60_000;
export const retentionMs = 30 * dayMs;
export const noon = Date.UTC(2026, 2, 10, 12);

/** A result as the model of a test knows it. */
export interface Fact {
  readonly checkId: string;
  readonly location: string;
  readonly at: number;
  readonly isFinal: boolean;
  readonly outcome: Outcome;
  readonly slots: number;
  readonly responseUs: number | null;
  /** null = a run on demand. */
  readonly intervalMs: number | null;
  /** 0 = it has none, as results of light checks. */
  readonly status: number;
  /** µs; those of a light check are the second and the third. */
  readonly times: readonly number[];
}

/** As they are packed. */
export function detailsOf({ status, times }: Fact): JsonValue {
  const [wait = 0, dns = 0, tcp = 0, firstByte = 0, download = 0] = times;
  if (status === 0) return { a: 'db.example', p: { dns, tcp, data: 7 }, r: 1 };
  const assertions = [[1, 'x', -2, '203.0.113.17', 0.5]];
  return [
    status,
    '203.0.113.17',
    dns,
    tcp,
    31_700,
    firstByte,
    download,
    310,
    1963,
    assertions,
    { t: 'Sure', w: wait, p: [3, 0] },
  ];
}

/** Records a result at the present time of the store, with the mark that recording makes. */
export function record(temp: TempStore, accountId: string, fact: Fact): void {
  putResult(temp.raw, accountId, fact.checkId, fact.at, {
    id: idAt(fact.at),
    ...(fact.isFinal ? {} : { runId: newId() }),
    outcome: fact.outcome,
    location: fact.location,
    slots: fact.slots,
    responseUs: fact.responseUs,
    intervalMs: fact.intervalMs,
    details: detailsOf(fact),
  });
  if (isLate(fact.at, temp.clock.now())) mark(temp.raw, accountId, fact.checkId, hourOf(fact.at));
}

/** The ID of a result whose slot is `at` (epoch ms). */
export function idAt(at: number): string {
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

export async function rollUpAll({ store, clock }: TempStore): Promise<void> {
  for (let tick = 0; tick < 5000; tick++) {
    if ((await store.rollUps.tick(clock.now(), retentionMs)).isThrough) return;
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
export function assertRollUps(raw: RawRows, facts: readonly Fact[]): void {
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
    const rollUp = detailedRollUpOf(row);
    assert.deepEqual(comparable(rollUp, sums), sums);
    const end = row.start_at + (row.span === 1 ? dayMs : hourMs);
    assertByStatus([rollUp], of, row.start_at, end, row.location);
    const within = of.filter(({ at, location }) => at >= row.start_at && at < end && location === row.location);
    assertPhases([rollUp], within);
    assert.equal(rollUp.finalResults, within.filter(({ isFinal }) => isFinal).length);
  }
}

/** Roll-ups are made of what the facts of each status code come to, and of nothing else. */
function assertByStatus(
  rollUps: readonly DetailedRollUp[],
  facts: readonly Fact[],
  from: number,
  to: number,
  location: string | null,
): void {
  const sum = emptyDetailedRollUp();
  for (const rollUp of rollUps) mergeDetailedRollUp(sum, rollUp);
  const within = facts.filter(
    (each) => each.at >= from && each.at < to && (location === null || each.location === location),
  );
  const codes = [...(sum.byStatus ?? [])].map(([status]) => status);
  assert.deepEqual(new Set(codes), new Set(within.map(({ status }) => status)));
  for (const [status, part] of sum.byStatus ?? []) {
    const wanted = sumsOf(
      within.filter((each) => each.status === status),
      from,
      to,
      null,
    );
    assert.deepEqual(comparable(part, wanted), wanted, `of status ${status}`);
  }
}

/** Phases are those of the facts with a response time, percentiles within what they may be off. */
function assertPhases(rollUps: readonly DetailedRollUp[], facts: readonly Fact[]): void {
  const sum = emptyDetailedRollUp();
  for (const rollUp of rollUps) mergeDetailedRollUp(sum, rollUp);
  assert.ok(sum.phases !== null);
  const timed = facts.filter(
    ({ isFinal, outcome, responseUs }) =>
      isFinal && responseUs !== null && outcome !== 'unknown' && outcome !== 'missed',
  );
  for (const [index, phase] of phaseNames.entries()) {
    const has = ({ status }: Fact): boolean => status !== 0 || phase === 'dns' || phase === 'tcp';
    for (const isFailed of [false, true]) {
      const of = timed.filter((each) => has(each) && (each.outcome === 'failed') === isFailed);
      const values = of.map(({ times }) => times[index] ?? 0).sort((a, b) => a - b);
      const found: Responses = sum.phases.get(phase)?.[isFailed ? 'failedResponses' : 'responses'] ?? emptyResponses();
      const total = values.reduce((all, value) => all + value, 0);
      const least = values[0] ?? Number.POSITIVE_INFINITY;
      assert.deepEqual([found.count, found.sum, found.least, found.max], [of.length, total, least, values.at(-1) ?? 0]);
      const squares = values.reduce((all, value) => all + value * value, 0);
      assert.ok(Math.abs(found.sumOfSquares - squares) <= squares * 1e-6, `${found.sumOfSquares} for ${squares}`);
      const median = values[Math.ceil(values.length / 2) - 1] ?? 0;
      const off = Math.abs((coarseQuantileOf(found.sketch, 0.5) ?? 0) - median);
      assert.ok(off <= coarseError * (median + 1000), `${phase} is ${off} off ${median}`);
    }
  }
}

/** A list says how many results there are, of all times and of a span that begins and ends within days. */
export async function assertTotals(
  { store }: Pick<TempStore, 'store'>,
  accountId: string,
  facts: readonly Fact[],
): Promise<void> {
  const [checkId] = facts.map((fact) => fact.checkId);
  if (checkId === undefined) return;
  const span = { from: noon - dayMs, to: noon + dayMs + hourMs };
  for (const within of [{}, { from: span.from }, { to: span.to }, span]) {
    const { from = -Infinity, to = Infinity }: { from?: number; to?: number } = within;
    const wanted = facts.filter(({ at }) => at >= from && at <= to);
    for (const resultType of ['FINAL', 'ATTEMPT', 'ALL'] as const) {
      const filter = { ...within, resultType };
      const { total } = await store.checkResults.list(accountId, checkId, filter, { limit: 1, offset: 0 });
      const counted = wanted.filter(({ isFinal }) => resultType === 'ALL' || isFinal === (resultType === 'FINAL'));
      assert.equal(total, counted.length, `${resultType} ${JSON.stringify(within)}`);
    }
  }
}

/** What the store says of a span is what the facts come to, whatever is rolled up by now. */
export async function assertCurrent(temp: TempStore, accountId: string, facts: readonly Fact[], pieceMs: number) {
  const checkIds = [...new Set(facts.map(({ checkId }) => checkId))];
  if (checkIds.length === 0) return;
  const from = noon - 2 * dayMs - 12 * hourMs;
  const to = noon + 3 * dayMs;
  const question = { from, to, pieceMs, parts: 'byStatus' as const };
  const { pieces, stretches } = await temp.store.checkHistory.read(accountId, checkIds, question);
  const withPhases = await temp.store.checkHistory.read(accountId, checkIds, { from, to, pieceMs, parts: 'phases' });
  const whole = await temp.store.checkHistory.sums(accountId, checkIds, { from, to });
  for (const checkId of checkIds) {
    const own = facts.filter((fact) => fact.checkId === checkId);
    await assertTotals(temp, accountId, own);
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
    assertByStatus(
      ofCheck.map(({ rollUp }) => rollUp),
      own.filter(isShort),
      from,
      to,
      null,
    );
    assertPhases(
      withPhases.pieces.filter((piece) => piece.checkId === checkId).map(({ rollUp }) => rollUp),
      own.filter(({ at }) => at >= from && at < to),
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

/** A passed result. */
export const fact = (checkId: string, at: number, change: Partial<Fact> = {}): Fact => ({
  checkId,
  location: 'a',
  at,
  isFinal: true,
  outcome: 'passed',
  slots: 1,
  responseUs: 1000,
  intervalMs: minuteMs,
  status: 200,
  times: [50, 600, 21_000, 120_000, 2000],
  ...change,
});
