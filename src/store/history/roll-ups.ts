// Rolls up results by hour, and hours by day: the decisions, shared by all engines (docs/decisions/0040).
import {
  type DetailedRollUp,
  emptyDetailedRollUp,
  mergeDetailedRollUp,
  wholeOf,
  addPhase,
  phaseNames,
  type Phases,
} from '#domain/results/detailed-roll-up.ts';
import {
  addResult,
  closedAfterMs,
  dayMs,
  dayOf,
  dayRetentionDays,
  emptyRollUp,
  hourMs,
  hourOf,
  hourRetentionDays,
  isLong,
  type RollUp,
} from '#domain/results/roll-up.ts';
import { type IdBytes, idText, idTime } from '../base/codec.ts';
import { outcomeCodes } from '../base/codes.ts';
import { phasesIn, statusIn } from '../base/measured.ts';
import {
  type CheckKey,
  type Progress,
  readProgress,
  readResultsFrom,
  rewound,
  rolledUpTo,
  writtenProgress,
} from '../roll-ups/roll-up-progress.ts';
import { detailedRollUpOf, rollUpRow, type Span, type SpanKey } from './roll-up-rows.ts';
import type { LateHoursTable, MissedStretchesTable, RollUpsTable } from '../base/tables/roll-up-tables.ts';

/** A result in the form that a roll-up counts. */
export interface RawResult {
  /** Required for results that cover several slots. */
  readonly id: IdBytes | null;
  /** 1 = final. */
  readonly is_final: number;
  readonly outcome: number;
  readonly location: string;
  readonly slots: number;
  readonly interval_ms: number | null;
  readonly response_us: number | null;
  /** Its packed details as hex digits in either case; null or undefined = none, or not requested. */
  readonly details_digits: string | null;
}

/** A mark; `isGone` if its check was deleted. */
export type LateHour = LateHoursTable & { readonly isGone: boolean };

/** Rows that a tick reads and writes. */
export interface RollUpStore {
  /** `rolled-up` = the progress, `results-from` = from when on results are complete. */
  fact(key: 'rolled-up' | 'results-from'): Promise<string | null>;
  writeFact(key: 'rolled-up' | 'results-from', value: string): Promise<void>;
  /** When the oldest check was created, epoch ms; null without checks. */
  oldestCheckAt(): Promise<number | null>;
  lateHours(before: number, max: number): Promise<LateHour[]>;
  /** Start of the oldest marked hour, epoch ms; null if none. */
  oldestLateHour(): Promise<number | null>;
  /** Deletes marks that were not changed since they were read. */
  forget(hours: readonly LateHour[]): Promise<void>;
  /** The next checks by key, without deleted ones. */
  checksAfter(after: CheckKey | null, max: number): Promise<CheckKey[]>;
  /** All results of each hour, for as many of the hours as fit into a tick, at least one. */
  results(hours: readonly SpanKey[]): Promise<(readonly RawResult[])[]>;
  replace(span: Span, keys: readonly SpanKey[], rows: readonly RollUpsTable[]): Promise<void>;
  hoursOf(days: readonly SpanKey[]): Promise<(readonly RollUpsTable[])[]>;
  keepStretches(stretches: readonly MissedStretchesTable[]): Promise<void>;
  /**
   * Yields to the event loop, if possible: a server's transaction blocks no one; during that of a file, nothing else
   * may run.
   */
  breathe(): Promise<void>;
  /** Deletes roll-ups after their retention. */
  removeOld(checks: readonly CheckKey[], bounds: { readonly hours: number; readonly days: number }): Promise<void>;
}

/** Rolls up in ticks. Times are epoch ms. */
export interface RollUps {
  /** Rolls up some due hours; several processes may call it at once. @param resultRetentionMs retention of results */
  tick(now: number, resultRetentionMs: number): Promise<RolledUp>;
  /**
   * Until when results older than `before` may be deleted: only rolled-up ones. From then on, older results count as
   * deleted.
   */
  release(before: number): Promise<number>;
}

/** Outcome of a tick. */
export interface RolledUp {
  /** Number of counted results. */
  readonly results: number;
  /** Number of rolled-up hours of checks. */
  readonly hours: number;
  /** Nothing is left to do until another hour has ended. */
  readonly isThrough: boolean;
}

/** Limits of a tick. */
export interface BatchSize {
  readonly checks: number;
  readonly lateHours: number;
}

/** Number of results added, and roll-ups merged, before yielding: a few milliseconds of work. */
const resultsAtOnce = 200;
const hoursAtOnce = 32;

/** In the last hour of a day, a tick takes this fraction of the usual number of checks. */
const checksOfDay = 25;

/** Rolls up some of what is due at `now` (epoch ms), in one transaction. */
export async function rollUpTick(
  store: RollUpStore,
  now: number,
  size: BatchSize,
  resultRetentionMs: number,
): Promise<RolledUp> {
  const progress = await presentProgress(store, now, resultRetentionMs);
  const late = await store.lateHours(progress.hourAt, size.lateHours);
  if (late.length > 0) return rollUpLate(store, progress, late);
  if (progress.hourAt >= hourOf(now - closedAfterMs)) return { results: 0, hours: 0, isThrough: true };
  // A day is merged from its hours, each as large as several results.
  const max = isLastOfDay(progress.hourAt) ? Math.ceil(size.checks / checksOfDay) : size.checks;
  const checks = await store.checksAfter(progress.after, max);
  const keys = checks.map((check) => ({ ...check, startAt: progress.hourAt }));
  const found = keys.length === 0 ? [] : await store.results(keys);
  const done = keys.slice(0, found.length);
  await writeHours(store, done, found);
  if (isLastOfDay(progress.hourAt)) {
    const startAt = dayOf(progress.hourAt);
    await writeDays(
      store,
      done.map((key) => ({ ...key, startAt })),
    );
    const bounds = { hours: startAt - hourRetentionDays * dayMs, days: startAt - dayRetentionDays * dayMs };
    if (done.length > 0) await store.removeOld(done, bounds);
  }
  const isHourDone = checks.length < max && done.length === keys.length;
  const last = done.at(-1);
  const next =
    isHourDone || last === undefined
      ? { hourAt: progress.hourAt + hourMs, after: null }
      : { hourAt: progress.hourAt, after: { accountId: last.accountId, checkId: last.checkId } };
  await store.writeFact('rolled-up', writtenProgress(next));
  return { results: found.reduce((sum, rows) => sum + rows.length, 0), hours: done.length, isThrough: false };
}

async function presentProgress(store: RollUpStore, now: number, resultRetentionMs: number): Promise<Progress> {
  const progress = readProgress(await store.fact('rolled-up'));
  if (progress === null) {
    const oldest = (await store.oldestCheckAt()) ?? now;
    const first = { hourAt: hourOf(Math.min(now, Math.max(oldest, now - resultRetentionMs))), after: null };
    await store.writeFact('rolled-up', writtenProgress(first));
    return first;
  }
  return rewound(progress, now) ?? progress;
}

/** Hours with late results are rolled up again, from all their results. */
async function rollUpLate(store: RollUpStore, progress: Progress, late: readonly LateHour[]): Promise<RolledUp> {
  const resultsFrom = readResultsFrom(await store.fact('results-from'));
  const living = late.filter(({ isGone }) => !isGone);
  const keys = living.map((hour) => ({ accountId: hour.account_id, checkId: hour.check_id, startAt: hour.start_at }));
  const found = keys.length === 0 ? [] : await store.results(keys);
  const done = keys.slice(0, found.length);
  // If results of an hour were partly deleted, the rest must not replace its roll-up: only its stretches are stored.
  const isWhole = ({ startAt }: SpanKey): boolean => startAt >= resultsFrom;
  const whole = done.filter(isWhole);
  await writeHours(
    store,
    whole,
    found.filter((_, index) => isWhole(keys[index] ?? ({ startAt: 0 } as SpanKey))),
  );
  await store.keepStretches(done.flatMap((key, index) => (isWhole(key) ? [] : stretchesOf(key, found[index] ?? []))));
  const days = new Map(
    whole
      .filter((key) => dayOf(key.startAt) + dayMs <= rolledUpTo(progress, key))
      .map((key) => [`${idText(key.accountId)}${idText(key.checkId)}${dayOf(key.startAt)}`, key]),
  );
  await writeDays(
    store,
    [...days.values()].map((key) => ({ ...key, startAt: dayOf(key.startAt) })),
  );
  await store.forget([...late.filter(({ isGone }) => isGone), ...living.slice(0, done.length)]);
  return { results: found.reduce((sum, rows) => sum + rows.length, 0), hours: done.length, isThrough: false };
}

function isLastOfDay(hourAt: number): boolean {
  return dayOf(hourAt) !== dayOf(hourAt + hourMs);
}

/** Hours without results have no roll-up, so they are skipped. */
async function writeHours(
  store: RollUpStore,
  keys: readonly SpanKey[],
  found: readonly (readonly RawResult[])[],
): Promise<void> {
  const filled = keys.flatMap((key, index) => {
    const results = found[index] ?? [];
    return results.length === 0 ? [] : [{ key, results }];
  });
  if (filled.length === 0) return;
  const rows: RollUpsTable[] = [];
  let added = 0;
  for (const { key, results } of filled) {
    for (const [location, rollUp] of rollUpsOf(results)) rows.push(rollUpRow('hour', key, location, rollUp));
    if ((added += results.length) >= resultsAtOnce) {
      await store.breathe();
      added = 0;
    }
  }
  await store.replace(
    'hour',
    filled.map(({ key }) => key),
    rows,
  );
  await store.keepStretches(filled.flatMap(({ key, results }) => stretchesOf(key, results)));
}

async function writeDays(store: RollUpStore, keys: readonly SpanKey[]): Promise<void> {
  if (keys.length === 0) return;
  const hours = await store.hoursOf(keys);
  const rows: RollUpsTable[] = [];
  let merged = 0;
  for (const [index, key] of keys.entries()) {
    const days = new Map<string, DetailedRollUp>();
    for (const row of hours[index] ?? []) {
      mergeDetailedRollUp(at(days, row.location, emptyDetailedRollUp), detailedRollUpOf(row));
      if (++merged % hoursAtOnce === 0) await store.breathe();
    }
    for (const [location, rollUp] of days) rows.push(rollUpRow('day', key, location, rollUp));
  }
  await store.replace('day', keys, rows);
}

/** Results of a location while they are being added. */
interface OfLocation {
  readonly byStatus: Map<number, RollUp>;
  readonly phases: Phases;
  finalResults: number;
}

/** Totals of results, by location. Stretches that extend beyond their hour are excluded. */
export function rollUpsOf(results: readonly RawResult[]): Map<string, DetailedRollUp> {
  const locations = new Map<string, OfLocation>();
  for (const row of results) {
    if (isLongStretch(row)) continue;
    const ofLocation = at(locations, row.location, () => ({ byStatus: new Map(), phases: new Map(), finalResults: 0 }));
    const { byStatus, phases } = ofLocation;
    const outcome = outcomeCodes.decode(row.outcome);
    const isFinal = row.is_final === 1;
    ofLocation.finalResults += row.is_final;
    addResult(at(byStatus, statusIn(row.details_digits), emptyRollUp), {
      isFinal,
      outcome,
      slots: row.slots,
      intervalMs: row.interval_ms,
      responseUs: row.response_us,
    });
    const isJudged = isFinal && outcome !== 'unknown' && outcome !== 'missed';
    if (isJudged && row.response_us !== null) addPhases(phases, row, outcome === 'failed');
  }
  return new Map(
    [...locations].map(([location, { byStatus, phases, finalResults }]) => [
      location,
      wholeOf(byStatus, phases, finalResults),
    ]),
  );
}

function addPhases(phases: Phases, { details_digits }: RawResult, isFailed: boolean): void {
  const times = phasesIn(details_digits);
  for (const [index, phase] of phaseNames.entries()) {
    const us = times[index];
    if (us !== undefined) addPhase(phases, phase, us, isFailed);
  }
}

function at<Key, Value>(found: Map<Key, Value>, key: Key, fresh: () => Value): Value {
  const known = found.get(key);
  if (known !== undefined) return known;
  const value = fresh();
  found.set(key, value);
  return value;
}

/** Whether a result is a stretch of missed slots that is stored separately. */
export function isLongStretch({ id, slots, interval_ms }: RawResult): boolean {
  return (
    slots > 1 && id !== null && interval_ms !== null && isLong({ slotAt: idTime(id), slots, intervalMs: interval_ms })
  );
}

/** The long stretches among results, as they are stored. */
export function stretchesOf({ accountId, checkId }: CheckKey, results: readonly RawResult[]): MissedStretchesTable[] {
  return results.flatMap((row) => {
    const { id, interval_ms, slots, location } = row;
    if (id === null || interval_ms === null || !isLongStretch(row)) return [];
    const slot_at = idTime(id);
    const end_at = slot_at + slots * interval_ms;
    return [{ account_id: accountId, check_id: checkId, result_id: id, location, slot_at, slots, interval_ms, end_at }];
  });
}

/** Until when results may be deleted; see `RollUps`. */
export async function releaseResults(store: RollUpStore, before: number): Promise<number> {
  const progress = readProgress(await store.fact('rolled-up'));
  if (progress === null) return 0;
  const oldest = (await store.oldestLateHour()) ?? Number.POSITIVE_INFINITY;
  const bound = Math.min(before, progress.hourAt, oldest);
  const wholeFrom = hourOf(bound + hourMs - 1);
  const resultsFrom = readResultsFrom(await store.fact('results-from'));
  if (wholeFrom > resultsFrom) await store.writeFact('results-from', String(wholeFrom));
  return bound;
}

/** The part of a store whose statements are the same on both engines. @param query `?` stands for a value */
export function portableRows(
  query: <Row>(statement: string, ...values: string[]) => Promise<Row[]>,
): Pick<RollUpStore, 'fact' | 'writeFact' | 'oldestCheckAt' | 'oldestLateHour'> {
  const oldest = async (statement: string): Promise<number | null> =>
    (await query<{ at: number | null }>(statement))[0]?.at ?? null;
  return {
    fact: async (key) =>
      (await query<{ value: string }>('SELECT value FROM installation WHERE key = ?', key))[0]?.value ?? null,
    async writeFact(key, value) {
      const replaced = 'ON CONFLICT (key) DO UPDATE SET value = excluded.value';
      await query(`INSERT INTO installation (key, value) VALUES (?, ?) ${replaced}`, key, value);
    },
    oldestCheckAt: () => oldest('SELECT min(created_at) AS at FROM checks'),
    oldestLateHour: () => oldest('SELECT min(start_at) AS at FROM late_hours'),
  };
}
