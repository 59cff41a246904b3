// Analytics of checks: availability, response times and outcomes over any time range (reference §4.7).
import type { Store } from '#store/store.ts';
import {
  availabilityOf,
  byLocation,
  byStatusCode,
  type DetailedPiece,
  type Grouped,
  type Measures,
  type Metric,
  metricOf,
  metricsOf,
  phaseOf,
  phasesBySpan,
  type ResultStatus,
  type SeriesGroup,
  sumBySpan,
  unknownRatioOf,
} from '#domain/results/analytics.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { type QuickRange, spanOf, type TimeSpan } from '#domain/checks/calendar.ts';
import type { Check, CheckType } from '#domain/checks/check.ts';
import { isMutedAt } from '#domain/checks/effective-check.ts';
import type { RollUpParts, Phases } from '#domain/results/detailed-roll-up.ts';
import {
  dayMs,
  dayOf,
  emptyRollUp,
  hourMs,
  hourRetentionDays,
  type RollUp,
  type Stretch,
} from '#domain/results/roll-up.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound } from '../refusal.ts';

/** A query. Times are epoch ms. */
export interface AnalyticsQuestion {
  readonly quickRange: QuickRange;
  readonly from?: number;
  readonly to?: number;
  /** Minutes. */
  readonly aggregationInterval?: number;
  readonly groupBy?: 'runLocation' | 'statusCode';
  readonly filterByStatus?: readonly ResultStatus[];
  readonly metrics: readonly Metric[];
}

/** An entry of a series and its figures. */
export interface AnalyticsEntry {
  readonly span: TimeSpan;
  readonly rollUp: RollUp;
  readonly values: Readonly<Partial<Record<Metric, number | null>>>;
}

export interface CheckAnalytics {
  readonly check: Check;
  /** Whether it or its group is muted now. */
  readonly isMuted: boolean;
  readonly span: TimeSpan;
  readonly series: readonly { readonly group: SeriesGroup; readonly entries: readonly AnalyticsEntry[] }[];
}

/** The figures of one check in a list. */
export interface AnalyticsSummary {
  readonly checkId: string;
  readonly checkType: CheckType;
  readonly availability: number | null;
  readonly unknownRatio: number | null;
  readonly values: Readonly<Record<(typeof summaryMetrics)[number], number | null>>;
}

/** The history of checks. */
export interface HistoryReader {
  /** Number of checks to read at a time. */
  readonly checksAtOnce: number;
  read(
    accountId: string,
    checkIds: readonly string[],
    question: TimeSpan & { readonly pieceMs: number; readonly parts?: RollUpParts | null },
  ): Promise<{
    readonly pieces: readonly (DetailedPiece & { readonly checkId: string })[];
    readonly stretches: readonly (Stretch & { readonly checkId: string })[];
  }>;
  /** Totals of checks over the whole range, by ID; cheaper to read than series. */
  sums(accountId: string, checkIds: readonly string[], span: TimeSpan): Promise<ReadonlyMap<string, RollUp>>;
}

export interface AnalyticsDeps extends Pick<Store, 'checks' | 'checkGroups' | 'checkSubjects'> {
  readonly checkHistory: HistoryReader;
  readonly clock: Clock;
  /** Retention of results, days. */
  readonly retentionDays: number;
  /** How results of a type can be grouped. */
  readonly measuresOf: (checkType: CheckType) => Measures;
}

export type AnalyticsActions = ReturnType<typeof createAnalyticsActions>;

const minuteMs = 60_000;
/** Maximum number of entries, per series and in total. */
const maxEntries = 1500;
const maxEntriesTotal = 30_000;
const summaryMetrics = ['responseTime_avg', 'responseTime_p50', 'responseTime_p95', 'responseTime_p99'] as const;
const bothStatuses: readonly ResultStatus[] = ['success', 'failure'];

export function createAnalyticsActions(deps: AnalyticsDeps) {
  const { checks, checkGroups, checkSubjects, checkHistory, clock } = deps;
  return {
    /** Refuses `not-found` for an unknown check or one of another type, and `invalid` for data that is not stored. */
    async ofCheck(caller: Caller, checkType: CheckType, checkId: string, question: AnalyticsQuestion) {
      requirePermission(caller, 'read');
      const check = (await checks.find(caller.accountId, checkId))?.check;
      if (check?.checkType !== checkType) throw notFound('check', checkId);
      const grid = gridOf(question, clock.now(), deps.retentionDays);
      const parts = partsOf(question, checkType, deps.measuresOf(checkType));
      const { pieces, stretches } = await checkHistory.read(caller.accountId, [checkId], { ...grid, parts });
      const groups = groupsOf(question, pieces, stretches);
      refuseTooMany(groups.length, grid.spans);
      const series = groups.map(({ group, ...of }) => {
        const sums = sumBySpan(grid.spans, of.pieces, of.stretches);
        const phases = parts === 'phases' ? phasesBySpan(grid.spans, of.pieces) : [];
        const entries = sums.map((rollUp, index) => {
          return entryOf(rollUp, phases[index] ?? null, grid.spans[index] ?? grid, question);
        });
        return { group, entries };
      });
      const group =
        check.groupId === null ? null : ((await checkGroups.find(caller.accountId, check.groupId))?.group ?? null);
      const isMuted = [check, group].some((one) => one !== null && isMutedAt(one, clock.now()));
      return { check, isMuted, span: { from: grid.from, to: grid.to }, series };
    },
    /** In the order of the IDs; unknown IDs are omitted. */
    async ofChecks(caller: Caller, checkIds: readonly string[], range: QuickRange): Promise<AnalyticsSummary[]> {
      requirePermission(caller, 'read');
      const found = await checkSubjects.ofIds(caller.accountId, checkIds);
      const span = wholeHours(spanOf(range, clock.now()), clock.now());
      const summaries: AnalyticsSummary[] = [];
      const { checksAtOnce } = checkHistory;
      for (let start = 0; start < found.length; start += checksAtOnce) {
        const some = found.slice(start, start + checksAtOnce);
        const sums = await sumByCheck(checkHistory, caller.accountId, some, [span]);
        for (const { checkId, checkType } of some) {
          const rollUp = sums(checkId)[0];
          if (rollUp !== undefined) summaries.push(summaryOf(checkId, checkType, rollUp));
        }
      }
      return summaries;
    },
    /** Metrics available for a check type. */
    metrics(caller: Caller, checkType: CheckType): readonly Metric[] {
      requirePermission(caller, 'read');
      return metricsOf(deps.measuresOf(checkType));
    },
  };
}

/** What to read in addition to sums. Refuses (`invalid`) what results of the type do not have. */
function partsOf({ groupBy, metrics }: AnalyticsQuestion, type: CheckType, measures: Measures): RollUpParts | null {
  const isByStatus = groupBy === 'statusCode';
  const ofType = `results of a check of type ${type}`;
  if (isByStatus && !measures.statusCode) {
    throw invalidField('groupBy', `must be runLocation: ${ofType} have no status code`);
  }
  const known = metricsOf(measures);
  const wrong = metrics.findIndex((metric) => !known.includes(metric) || (isByStatus && phaseOf(metric) !== null));
  const found = metrics[wrong];
  if (found !== undefined) {
    const right = known.filter((metric) => !isByStatus || phaseOf(metric) === null).join(', ');
    const why = known.includes(found)
      ? 'phases are not stored by status code'
      : `${ofType} have no phase ${phaseOf(found)}`;
    throw invalidField(`metrics[${wrong}]`, `must be one of ${right}: ${why}`);
  }
  if (isByStatus) return 'byStatus';
  return metrics.some((metric) => phaseOf(metric) !== null) ? 'phases' : null;
}

type Pieces = Awaited<ReturnType<HistoryReader['read']>>['pieces'];

function groupsOf({ groupBy }: AnalyticsQuestion, pieces: Pieces, stretches: readonly Stretch[]): Grouped[] {
  if (groupBy === undefined) return [{ group: {}, pieces, stretches }];
  return groupBy === 'runLocation' ? byLocation(pieces, stretches) : byStatusCode(pieces, stretches);
}

function refuseTooMany(series: number, spans: readonly TimeSpan[]): void {
  const [first] = spans;
  if (first === undefined || series * spans.length <= maxEntriesTotal) return;
  const least = Math.ceil(((first.to - first.from) * series * spans.length) / maxEntriesTotal / hourMs) * 60;
  throw invalidField(
    'aggregationInterval',
    `must be at least ${least} for this range, which would otherwise return ${spans.length} entries in each of ${series} series`,
  );
}

function entryOf(
  rollUp: RollUp,
  phases: Phases | null,
  span: TimeSpan,
  { metrics, filterByStatus }: AnalyticsQuestion,
): AnalyticsEntry {
  const statuses = filterByStatus ?? bothStatuses;
  const values = metrics.map((metric) => [metric, metricOf(metric, rollUp, statuses, phases)] as const);
  return { span, rollUp, values: Object.fromEntries(values) };
}

function summaryOf(checkId: string, checkType: CheckType, rollUp: RollUp): AnalyticsSummary {
  const of = (metric: Metric): number | null => metricOf(metric, rollUp, bothStatuses);
  return {
    checkId,
    checkType,
    availability: availabilityOf(rollUp),
    unknownRatio: unknownRatioOf(rollUp),
    values: {
      responseTime_avg: of('responseTime_avg'),
      responseTime_p50: of('responseTime_p50'),
      responseTime_p95: of('responseTime_p95'),
      responseTime_p99: of('responseTime_p99'),
    },
  };
}

/** Totals of some checks in each of several adjacent time ranges. */
export async function sumByCheck(
  checkHistory: HistoryReader,
  accountId: string,
  checks: readonly { readonly checkId: string }[],
  spans: readonly TimeSpan[],
): Promise<(checkId: string) => RollUp[]> {
  const ids = checks.map(({ checkId }) => checkId);
  const [only] = spans;
  if (only !== undefined && spans.length === 1) {
    const sums = await checkHistory.sums(accountId, ids, only);
    return (checkId) => [sums.get(checkId) ?? emptyRollUp()];
  }
  const [from = 0, to = 0] = [spans[0]?.from, spans.at(-1)?.to];
  const isByDay = spans.slice(1).every((span) => span.from % dayMs === 0);
  const history = await checkHistory.read(accountId, ids, { from, to, pieceMs: isByDay ? dayMs : hourMs });
  const pieces = Map.groupBy(history.pieces, ({ checkId }) => checkId);
  const stretches = Map.groupBy(history.stretches, ({ checkId }) => checkId);
  return (checkId) => sumBySpan(spans, pieces.get(checkId) ?? [], stretches.get(checkId) ?? []);
}

/** A range in full hours that ends no later than now; in full days where only those are stored. */
export function wholeHours({ from, to }: TimeSpan, now: number): TimeSpan {
  const floor = from < dayOf(now) - hourRetentionDays * dayMs ? dayMs : hourMs;
  const start = Math.floor(from / floor) * floor;
  return { from: start, to: Math.max(start, Math.min(now, Math.ceil(to / hourMs) * hourMs)) };
}

interface Grid extends TimeSpan {
  readonly pieceMs: number;
  readonly spans: readonly TimeSpan[];
}

/** The requested range and its division into entries. Refuses (`invalid`) a finer division than is stored. */
function gridOf(question: AnalyticsQuestion, now: number, retentionDays: number): Grid {
  const asked = askedSpan(question, now);
  const everyMs = (question.aggregationInterval ?? 0) * minuteMs;
  if (everyMs % hourMs !== 0) return fineGrid(asked, everyMs, now, retentionDays);
  const whole = wholeHours(asked, now);
  if (everyMs === 0) return { ...whole, pieceMs: dayMs, spans: [whole] };
  // Entries start at multiples of the interval within a day, and at midnight UTC for longer intervals.
  const cutMs = everyMs >= dayMs ? dayMs : dayMs % everyMs === 0 ? everyMs : hourMs;
  const from = Math.floor(whole.from / cutMs) * cutMs;
  return {
    from,
    to: whole.to,
    pieceMs: everyMs % dayMs === 0 ? dayMs : hourMs,
    spans: cut({ ...whole, from }, everyMs),
  };
}

/** For less than an hour, or not in whole hours: computed from the results, so a day at most. */
function fineGrid(asked: TimeSpan, everyMs: number, now: number, retentionDays: number): Grid {
  const step = dayMs % everyMs === 0 ? everyMs : minuteMs;
  const from = Math.floor(asked.from / step) * step;
  const to = Math.max(from, Math.min(now, Math.ceil(asked.to / minuteMs) * minuteMs));
  const why = 'must be a multiple of 60 (only hourly data is stored)';
  if (to - from > dayMs + step) throw invalidField('aggregationInterval', `${why} if the range is longer than a day`);
  if (from < now - retentionDays * dayMs) {
    throw invalidField('aggregationInterval', `${why} if the range begins more than ${retentionDays} days ago`);
  }
  return { from, to, pieceMs: minuteMs, spans: cut({ from, to }, everyMs) };
}

function cut({ from, to }: TimeSpan, everyMs: number): TimeSpan[] {
  const entries = Math.ceil((to - from) / everyMs);
  if (entries > maxEntries) {
    const least = Math.ceil((to - from) / maxEntries / hourMs) * 60;
    throw invalidField(
      'aggregationInterval',
      `must be at least ${least} for this range, which would otherwise return ${entries} entries`,
    );
  }
  return Array.from({ length: entries }, (_, index) => {
    const start = from + index * everyMs;
    return { from: start, to: Math.min(to, start + everyMs) };
  });
}

/** `from` and `to` override the named range. Refuses (`invalid`) an empty range. */
export function askedSpan(
  asked: { readonly quickRange: QuickRange; readonly from?: number; readonly to?: number },
  now: number,
  zone?: string,
): TimeSpan {
  const named = spanOf(asked.quickRange, now, zone);
  const to = asked.to ?? (asked.from === undefined ? named.to : now);
  const from = asked.from ?? (asked.to === undefined ? named.from : to - (named.to - named.from));
  if (from >= to) throw invalidField('from', `must be before ${asked.to === undefined ? 'now' : 'to'}`);
  if (from >= now) throw invalidField('from', 'must be in the past');
  return { from: Math.max(from, 0), to };
}
