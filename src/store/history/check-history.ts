// History of checks: roll-ups of hours and days where available, results for the rest, so that figures are always
// current (docs/decisions/0040).
import { selectRows } from '../base/rows.ts';
import type { Selectable } from 'kysely';
import { sumBySpan } from '#domain/results/analytics.ts';
import type { DetailedRollUp, RollUpParts } from '#domain/results/detailed-roll-up.ts';
import {
  dayMs,
  dayOf,
  emptyRollUp,
  hourMs,
  hourOf,
  hourRetentionDays,
  mergeRollUp,
  type RollUp,
  type Stretch,
} from '#domain/results/roll-up.ts';
import { readSums } from './check-sums.ts';
import { type IdBytes, idBytes, idOfDigits, idText } from '../base/codec.ts';
import { breathe } from '../base/slices.ts';
import type { Dialect } from '../base/dialect.ts';
import type { Database } from '../base/database.ts';
import { createMergedResponses, type MergedResponses } from './merged-responses.ts';
import {
  type CheckKey,
  type Progress,
  readProgress,
  readResultsFrom,
  rolledUpTo,
} from '../roll-ups/roll-up-progress.ts';
import { detailedRollUpOf, type PartColumn, spans } from './roll-up-rows.ts';
import type { LateHoursTable, RollUpsTable } from '../base/tables/roll-up-tables.ts';
import { isLongStretch, rollUpsOf, stretchesOf } from './roll-ups.ts';
import { readResults, slotOf, type TimedResult } from './raw-results.ts';
import type { Db, Tables } from '../base/tables/schema.ts';

/** Roll-up of a time range of a check at a location. Times are epoch ms. */
export interface HistoryPiece {
  readonly checkId: string;
  readonly startAt: number;
  readonly location: string;
  readonly rollUp: DetailedRollUp;
}

/** A time range, `to` exclusive, in pieces no longer than requested: days, hours, or less than an hour. */
export interface HistoryQuestion {
  /** The start of an hour, or of a UTC day where only days are stored; of any minute if pieces are shorter. */
  readonly from: number;
  readonly to: number;
  /** A divisor of an hour, an hour, or a day; with a day, pieces are days wherever whole ones fit. */
  readonly pieceMs: number;
  /**
   * Data in addition to sums, which is more expensive to read. Data that was not requested is unknown in all pieces.
   */
  readonly parts?: RollUpParts | null;
}

export interface History {
  /** Without long stretches of missed slots. */
  readonly pieces: readonly HistoryPiece[];
  readonly stretches: readonly (Stretch & { readonly checkId: string })[];
}

/** Amount of roll-ups read at a time, ms, because a read of months blocks the event loop. */
const windowsMs = { hour: 7 * dayMs, day: 180 * dayMs };

export function createCheckHistory({ reader, clock, dialect }: Database) {
  const merged = createMergedResponses();
  const scopeOf = (accountId: string, checkIds: readonly string[], question: HistoryQuestion): Scope => {
    const [account, checks] = [idBytes(accountId), checkIds.map(idBytes)];
    const areTogether = dialect.rowsAtOnce === null;
    const parts = question.parts ?? null;
    return { reader, dialect, merged, account, checks, question, areTogether, parts };
  };
  return {
    /** Number of checks to read at a time. */
    checksAtOnce: dialect.historiesAtOnce,
    /** For checks of one account, at most that many at a time. */
    async read(accountId: string, checkIds: readonly string[], question: HistoryQuestion): Promise<History> {
      const scope = scopeOf(accountId, checkIds, question);
      return readHistory(scope, await readKnown(scope), clock.now());
    },
    /**
     * Totals of each check in a time range (epoch ms, `to` exclusive), over all locations, by ID. The range starts as for
     * daily pieces.
     */
    async sums(
      accountId: string,
      checkIds: readonly string[],
      span: Pick<HistoryQuestion, 'from' | 'to'>,
    ): Promise<ReadonlyMap<string, RollUp>> {
      if (checkIds.length === 0) return new Map();
      const scope = scopeOf(accountId, checkIds, { ...span, pieceMs: dayMs });
      return sumsOf(scope, await readKnown(scope), clock.now());
    },
  };
}

export type CheckHistory = ReturnType<typeof createCheckHistory>;

/** The database sums up checks without rows that need individual treatment, which are nearly all. */
async function sumsOf(scope: Scope, known: Known, now: number): Promise<Map<string, RollUp>> {
  const { account, question } = scope;
  const stale = new Set([...known.stale.values()].map((row) => idText(row.check_id)));
  const plain = scope.checks.filter((check) => !stale.has(idText(check)));
  const [{ ofChecks, odd }, kept] = await Promise.all([
    readSums({ ...scope, checks: plain }, question, known.progress.hourAt),
    // PostgreSQL does not accept an empty list.
    plain.length === 0 ? [] : readStretches({ ...scope, checks: plain }),
  ]);
  const others = scope.checks.filter((check) => stale.has(idText(check)) || odd.has(idText(check)));
  for (const id of odd) ofChecks.delete(id);
  const rest = others.length === 0 ? null : await readHistory({ ...scope, checks: others }, known, now);
  const pieces = Map.groupBy(rest?.pieces ?? [], ({ checkId }) => checkId);
  const isOdd = (stretch: { readonly check_id: IdBytes }): boolean => odd.has(idText(stretch.check_id));
  const own = stretchesIn(
    kept.filter((row) => !isOdd(row)),
    [],
    account,
  );
  const stretches = Map.groupBy([...own, ...(rest?.stretches ?? [])], ({ checkId }) => checkId);
  for (const id of new Set([...pieces.keys(), ...stretches.keys()])) {
    const [sum = emptyRollUp()] = sumBySpan([question], pieces.get(id) ?? [], stretches.get(id) ?? []);
    mergeRollUp(sum, ofChecks.get(id) ?? emptyRollUp());
    ofChecks.set(id, sum);
  }
  return ofChecks;
}

async function readHistory(scope: Scope, known: Known, now: number): Promise<History> {
  const { question, account } = scope;
  const pieces: HistoryPiece[] = [];
  const [results, kept] = await Promise.all([
    readRest(scope, known),
    readStretches(scope),
    question.pieceMs >= hourMs ? readRollUps(scope, known, now, pieces) : null,
  ]);
  addResults(results, scope, pieces);
  return { pieces, stretches: stretchesIn(kept, results, account) };
}

interface Scope {
  readonly reader: Db;
  readonly dialect: Dialect;
  readonly merged: MergedResponses;
  readonly account: IdBytes;
  readonly checks: readonly IdBytes[];
  readonly question: HistoryQuestion;
  /** Whether concurrent statements are faster. */
  readonly areTogether: boolean;
  readonly parts: RollUpParts | null;
}

interface Known {
  readonly progress: Progress;
  /** Hours with newer results, as `check/hour`. */
  readonly stale: ReadonlyMap<string, LateHoursTable>;
}

async function readKnown({ reader, dialect, account, checks, question, areTogether }: Scope): Promise<Known> {
  const facts = selectRows(reader, 'installation', { key: ['rolled-up', 'results-from'] }).selectAll();
  const marks = selectRows(reader, 'late_hours', { account_id: account })
    .selectAll()
    .where(dialect.idIn('check_id', checks))
    .where('start_at', '>=', hourOf(question.from))
    .where('start_at', '<', question.to);
  // In either order: an hour that is rolled up in between is read with late results, or from its results.
  const [rows, late] = areTogether
    ? await Promise.all([facts.execute(), marks.execute()])
    : [await facts.execute(), await marks.execute()];
  const fact = (key: string): string | null => rows.find((row) => row.key === key)?.value ?? null;
  const progress = readProgress(fact('rolled-up')) ?? { hourAt: 0, after: null };
  const resultsFrom = readResultsFrom(fact('results-from'));
  const stale = late.filter(
    (row) =>
      row.start_at >= resultsFrom && row.start_at < rolledUpTo(progress, { accountId: account, checkId: row.check_id }),
  );
  return { progress, stale: new Map(stale.map((row) => [`${idText(row.check_id)}/${row.start_at}`, row])) };
}

function keyOf(accountId: IdBytes, { check_digits }: Pick<TimedResult, 'check_digits'>): CheckKey {
  return { accountId, checkId: idBytes(idOfDigits(check_digits)) };
}

/** IDs of checks as hex digits: each is one text, however many rows have it. */
function knownIds(): (digits: string) => string {
  const ids = new Map<string, string>();
  return (digits) => {
    const known = ids.get(digits);
    if (known !== undefined) return known;
    const id = idOfDigits(digits);
    ids.set(digits, id);
    return id;
  };
}

/** A roll-up with the digits of its check, without its account. */
type StoredRollUp = Omit<RollUpsTable, 'account_id' | 'check_id' | PartColumn> &
  Partial<Pick<RollUpsTable, PartColumn>> &
  Pick<TimedResult, 'check_digits'>;

/** Days if requested or if nothing finer is stored, hours around them. */
async function readRollUps(scope: Scope, known: Known, now: number, pieces: HistoryPiece[]): Promise<void> {
  const { from, to, pieceMs } = scope.question;
  const { progress, stale } = known;
  const finerFrom = dayOf(now) - hourRetentionDays * dayMs;
  const firstDay = Math.ceil(from / dayMs) * dayMs;
  const wantedTo = pieceMs >= dayMs ? dayOf(to) : Math.min(finerFrom, dayOf(to));
  const endOfDays = Math.max(firstDay, Math.min(wantedTo, dayOf(progress.hourAt)));
  const staleDays = new Set([...stale.values()].map((row) => `${idText(row.check_id)}/${dayOf(row.start_at)}`));
  const idOf = knownIds();
  const add = (row: StoredRollUp): void => {
    const { start_at: startAt, location } = row;
    pieces.push({
      checkId: idOf(row.check_digits),
      startAt,
      location,
      rollUp: onlyWith(scope.parts, detailedRollUpOf(row)),
    });
  };
  const isStale = (row: StoredRollUp, all: { has(key: string): boolean; readonly size: number }): boolean =>
    all.size > 0 && all.has(`${idOf(row.check_digits)}/${row.start_at}`);
  // With thousands of rows, nearly none is of the hour being rolled up, or stale.
  const isFresh = (row: StoredRollUp): boolean =>
    (row.start_at < progress.hourAt || row.start_at < rolledUpTo(progress, keyOf(scope.account, row))) &&
    !isStale(row, stale);
  for await (const row of rowsOf(scope, 'day', firstDay, endOfDays)) if (!isStale(row, staleDays)) add(row);
  for (const [start, end] of [
    [from, Math.min(firstDay, to)],
    [Math.max(endOfDays, from), Math.min(to, progress.hourAt + hourMs)],
  ] as const) {
    for await (const row of rowsOf(scope, 'hour', start, end)) if (isFresh(row)) add(row);
  }
  for (const key of staleDays) {
    const [checkId = '', day = ''] = key.split('/');
    const startAt = Number(day);
    if (startAt < firstDay || startAt >= endOfDays) continue;
    const one = { ...scope, checks: [idBytes(checkId)] };
    for await (const row of rowsOf(one, 'hour', startAt, startAt + dayMs)) if (isFresh(row)) add(row);
  }
}

async function* rowsOf(
  { reader, dialect, account, checks, parts }: Scope,
  span: 'hour' | 'day',
  from: number,
  to: number,
): AsyncGenerator<StoredRollUp> {
  for (let start = from; start < to; start += windowsMs[span]) {
    yield* await reader
      .selectFrom('roll_ups')
      .select(['span', 'start_at', 'location', 'passed', 'degraded', 'failed', 'unknown', 'missed', 'retries'])
      .select(['known_ms', 'down_ms', 'unknown_ms', 'responses', 'failed_responses'])
      .$if(parts === 'byStatus', (query) => query.select('by_status'))
      .$if(parts === 'phases', (query) => query.select('phases'))
      .select(dialect.idDigits('check_id').$castTo<string>().as('check_digits'))
      .where('account_id', '=', account)
      .where(dialect.idIn('check_id', checks))
      .where('span', '=', spans[span])
      .where('start_at', '>=', start)
      .where('start_at', '<', Math.min(to, start + windowsMs[span]))
      .execute();
    if (start + windowsMs[span] < to) await breathe();
  }
}

/** Results of hours that are not rolled up, or that have newer results. */
async function readRest(scope: Scope, { progress, stale }: Known): Promise<TimedResult[]> {
  const { from, to, pieceMs } = scope.question;
  if (pieceMs < hourMs) return readResults(scope, scope.checks, { from, to });
  const fresh = await readResults(scope, scope.checks, { from: Math.max(from, progress.hourAt), to });
  // Only while an hour is being rolled up does this differ between checks.
  const results =
    progress.after === null
      ? fresh
      : fresh.filter((row) => slotOf(row) >= rolledUpTo(progress, keyOf(scope.account, row)));
  for (const { check_id, start_at } of stale.values()) {
    const hour = { from: Math.max(from, start_at), to: Math.min(to, start_at + hourMs) };
    results.push(...(await readResults(scope, [check_id], hour)));
  }
  return results;
}

function addResults(results: readonly TimedResult[], { question, parts }: Scope, pieces: HistoryPiece[]): void {
  const width = Math.min(question.pieceMs, hourMs);
  const idOf = knownIds();
  for (const [digits, ofCheck] of Map.groupBy(results, (row) => row.check_digits)) {
    const checkId = idOf(digits);
    for (const [startAt, rows] of Map.groupBy(ofCheck, (row) => Math.floor(slotOf(row) / width) * width)) {
      for (const [location, rollUp] of rollUpsOf(rows)) {
        pieces.push({ checkId, startAt, location, rollUp: onlyWith(parts, rollUp) });
      }
    }
  }
}

/** Removes data that was not requested, because only some rows have it. */
function onlyWith(parts: RollUpParts | null, rollUp: DetailedRollUp): DetailedRollUp {
  const { byStatus, phases } = rollUp;
  return {
    ...rollUp,
    byStatus: parts === 'byStatus' ? byStatus : null,
    phases: parts === 'phases' ? phases : null,
    finalResults: null,
  };
}

type StoredStretch = Selectable<Tables['missed_stretches']>;

function readStretches({ reader, dialect, account, checks, question: { from, to } }: Scope): Promise<StoredStretch[]> {
  return selectRows(reader, 'missed_stretches', { account_id: account })
    .selectAll()
    .where(dialect.idIn('check_id', checks))
    .where('slot_at', '<', to)
    .where('end_at', '>', from)
    .execute();
}

/** Stored stretches, and those in results that are not rolled up. */
function stretchesIn(
  kept: readonly StoredStretch[],
  results: readonly TimedResult[],
  account: IdBytes,
): History['stretches'] {
  const found = results.filter((row) => isLongStretch(row)).flatMap((row) => stretchesOf(keyOf(account, row), [row]));
  const each = new Map([...kept, ...found].map((row) => [idText(row.result_id), row]));
  return [...each.values()].map((row) => ({
    checkId: idText(row.check_id),
    location: row.location,
    slotAt: row.slot_at,
    slots: row.slots,
    intervalMs: row.interval_ms,
  }));
}
