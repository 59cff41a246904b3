// Metrics computed from roll-ups: availability, response times and percentiles (reference §4.7).
import {
  type DetailedRollUp,
  sumOfPhases,
  coarseQuantileOf,
  type Phase,
  phaseNames,
  type Phases,
} from './detailed-roll-up.ts';
import {
  emptyResponses,
  emptyRollUp,
  mergeResponses,
  mergeRollUp,
  type Responses,
  type RollUp,
  slotsWithin,
  type Stretch,
} from './roll-up.ts';
import { quantileOf } from './sketch.ts';
import type { TimeSpan } from '../checks/calendar.ts';

export const aggregations = ['avg', 'max', 'median', 'min', 'p50', 'p90', 'p95', 'p99', 'stddev', 'sum'] as const;
export type Aggregation = (typeof aggregations)[number];

/** What a time measures: the whole response or a phase of it. */
export const metricBases = ['responseTime', ...phaseNames] as const;
type Base = (typeof metricBases)[number];
type TimeMetric = `${Base}_${Aggregation}`;

/** The metrics that roll-ups provide. */
export const metricNames = [
  ...metricBases.flatMap((base) => aggregations.map((aggregation): TimeMetric => `${base}_${aggregation}`)),
  'availability',
  'retries',
] as const;
export type Metric = (typeof metricNames)[number];

/** The phase of a metric; null = none. */
export function phaseOf(metric: Metric): Phase | null {
  return phaseNames.find((phase) => metric.startsWith(`${phase}_`)) ?? null;
}

/** The metrics available for a kind of check. */
export function metricsOf({ phases }: Measures): Metric[] {
  return metricNames.filter((metric) => {
    const phase = phaseOf(metric);
    return phase === null || phases.includes(phase);
  });
}

/** Additional data in results of a kind of check by which they can be grouped. */
export interface Measures {
  /** Whether they have a status code. */
  readonly statusCode: boolean;
  /** Phases that they may have. */
  readonly phases: readonly Phase[];
}

/** Label and unit of a metric. */
export interface MetricMeaning {
  readonly unit: 'milliseconds' | 'percent' | 'count';
  readonly label: string;
  readonly aggregation: string;
}

const aggregationLabels: Readonly<Record<Aggregation, string>> = {
  avg: 'average',
  max: 'maximum',
  median: 'median',
  min: 'minimum',
  p50: '50th percentile',
  p90: '90th percentile',
  p95: '95th percentile',
  p99: '99th percentile',
  stddev: 'standard deviation',
  sum: 'sum',
};

export function meaningOf(metric: Metric): MetricMeaning {
  if (metric === 'availability') return { unit: 'percent', label: 'Availability', aggregation: 'avg' };
  if (metric === 'retries') return { unit: 'count', label: 'Retries', aggregation: 'sum' };
  const aggregation = aggregationOf(metric);
  const label = `${baseLabels[phaseOf(metric) ?? 'responseTime']}, ${aggregationLabels[aggregation]}`;
  return { unit: 'milliseconds', label, aggregation };
}

const baseLabels: Readonly<Record<Base, string>> = {
  responseTime: 'Response time',
  wait: 'Redirects before the request',
  dns: 'Resolution of the name',
  tcp: 'Connection',
  firstByte: 'Wait for the first byte',
  download: 'Download',
};

function aggregationOf(metric: TimeMetric): Aggregation {
  // Builds the name of such a metric.
  return metric.slice(metric.indexOf('_') + 1) as Aggregation;
}

/** Whose response times are included; `success` is passed and degraded. */
export type ResultStatus = 'success' | 'failure';

/**
 * The value of a metric: ms, percent or a count; null without data.
 * @param phases phases of the same results, if needed; null = unknown
 */
export function metricOf(
  metric: Metric,
  rollUp: RollUp,
  statuses: readonly ResultStatus[],
  phases: Phases | null = null,
): number | null {
  if (metric === 'availability') return availabilityOf(rollUp);
  if (metric === 'retries') return rollUp.retries;
  const phase = phaseOf(metric);
  const times = phase === null ? rollUp : phases?.get(phase);
  if (times === undefined) return null;
  const quantile = phase === null ? quantileOf : coarseQuantileOf;
  const us = responseTimeOf(aggregationOf(metric), responsesOf(times, statuses), quantile);
  return us === null ? null : rounded(us / 1000);
}

/** Percentage of the known time without failure; null if nothing is known. */
export function availabilityOf({ knownMs, downMs }: Pick<RollUp, 'knownMs' | 'downMs'>): number | null {
  if (knownMs === 0) return null;
  const share = rounded((100 * (knownMs - downMs)) / knownMs, 4);
  return downMs > 0 ? Math.min(share, 99.9999) : share;
}

/** Percentage of the scheduled time for which nothing is known; null without slots. */
export function unknownRatioOf({ knownMs, unknownMs }: Pick<RollUp, 'knownMs' | 'unknownMs'>): number | null {
  return knownMs + unknownMs === 0 ? null : rounded((100 * unknownMs) / (knownMs + unknownMs), 4);
}

/** Percentage of the results with a verdict that did not fail. null if there are none. */
export function successRatioOf({ passed, degraded, failed }: RollUp): number | null {
  const judged = passed + degraded + failed;
  return judged === 0 ? null : rounded((100 * (passed + degraded)) / judged, 4);
}

function responsesOf(
  times: Pick<RollUp, 'responses' | 'failedResponses'>,
  statuses: readonly ResultStatus[],
): Responses {
  const responses = emptyResponses();
  if (statuses.includes('success')) mergeResponses(responses, times.responses);
  if (statuses.includes('failure')) mergeResponses(responses, times.failedResponses);
  return responses;
}

/** Median and 95th percentile of response times together, ms; null without data. */
export function percentilesOf(parts: readonly Responses[]): { readonly p50: number; readonly p95: number } | null {
  const [first, ...others] = parts.filter(({ count }) => count > 0);
  if (first === undefined) return null;
  const all = others.length === 0 ? first : emptyResponses();
  if (others.length > 0) for (const part of [first, ...others]) mergeResponses(all, part);
  const at = (aggregation: 'p50' | 'p95'): number =>
    rounded((responseTimeOf(aggregation, all, quantileOf) ?? 0) / 1000);
  return { p50: at('p50'), p95: at('p95') };
}

const shares: Partial<Record<Aggregation, number>> = { median: 0.5, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 };

function responseTimeOf(
  aggregation: Aggregation,
  { count, sum, sumOfSquares, least, max, sketch }: Responses,
  quantile: typeof quantileOf,
) {
  if (count === 0) return null;
  const share = shares[aggregation];
  // A bucket may extend beyond the measured values.
  if (share !== undefined) return Math.min(max, Math.max(least, quantile(sketch, share) ?? 0));
  const mean = sum / count;
  if (aggregation === 'avg') return mean;
  if (aggregation === 'min') return least;
  if (aggregation === 'max') return max;
  return aggregation === 'sum' ? sum : Math.sqrt(Math.max(0, sumOfSquares / count - mean * mean));
}

function rounded(value: number, digits = 3): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** A part of a history: the roll-up of a time range that starts at `startAt` (epoch ms), at a location. */
export interface Piece {
  readonly startAt: number;
  readonly location: string;
  readonly rollUp: RollUp;
}

/** Totals of adjacent time ranges, in their order. */
export function sumBySpan(
  spans: readonly TimeSpan[],
  pieces: readonly Piece[],
  stretches: readonly Stretch[],
): RollUp[] {
  const sums = spans.map(() => emptyRollUp());
  for (const { startAt, rollUp } of pieces) {
    const sum = sums[indexAt(spans, startAt)];
    if (sum !== undefined) mergeRollUp(sum, rollUp);
  }
  for (const [index, { from, to }] of spans.entries()) {
    const sum = sums[index];
    for (const stretch of stretches) {
      const slots = slotsWithin(stretch, from, to);
      if (sum === undefined || slots === 0) continue;
      sum.missed += slots;
      sum.unknownMs += slots * stretch.intervalMs;
    }
  }
  return sums;
}

/** Phase durations in adjacent time ranges; null if a part is unknown. */
export function phasesBySpan(
  spans: readonly TimeSpan[],
  pieces: readonly (Piece & { readonly rollUp: Partial<Pick<DetailedRollUp, 'phases'>> })[],
): (Phases | null)[] {
  const sums: (Phases | null)[] = spans.map(() => new Map());
  for (const { startAt, rollUp } of pieces) {
    const index = indexAt(spans, startAt);
    const sum = sums[index];
    if (sum !== undefined) sums[index] = sumOfPhases(sum, rollUp.phases ?? null);
  }
  return sums;
}

/** Index of the range that contains a time; -1 = before the first. */
function indexAt(spans: readonly TimeSpan[], at: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.from ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What a series is restricted to. */
export interface SeriesGroup {
  readonly location?: string;
  /**
   * A status code, or `none`: no response, or a missed run. `unknown`: roll-ups from before status codes were stored
   * (docs/decisions/0040).
   */
  readonly status?: number | 'none' | 'unknown';
}

/** A group and its data. */
export type DetailedPiece = Piece & { readonly rollUp: DetailedRollUp };

/** A series and its part of a history. */
export interface Grouped {
  readonly group: SeriesGroup;
  readonly pieces: readonly (Piece & { readonly rollUp: RollUp & Partial<DetailedRollUp> })[];
  readonly stretches: readonly Stretch[];
}

/** Splits a history by run location, ordered by name. */
export function byLocation(pieces: readonly DetailedPiece[], stretches: readonly Stretch[]): Grouped[] {
  const locations = new Set([...pieces, ...stretches].map(({ location }) => location));
  return [...locations].sort().map((location) => ({
    group: { location },
    pieces: pieces.filter((piece) => piece.location === location),
    stretches: stretches.filter((stretch) => stretch.location === location),
  }));
}

/** Splits a history by status code, in order; parts without one come last. */
export function byStatusCode(pieces: readonly DetailedPiece[], stretches: readonly Stretch[]): Grouped[] {
  const groups = new Map<number, Piece[]>();
  const unknown: Piece[] = [];
  for (const piece of pieces) {
    if (piece.rollUp.byStatus === null) unknown.push(piece);
    for (const [status, rollUp] of piece.rollUp.byStatus ?? []) {
      const known = groups.get(status);
      if (known === undefined) groups.set(status, [{ ...piece, rollUp }]);
      else known.push({ ...piece, rollUp });
    }
  }
  const none = { group: { status: 'none' as const }, pieces: groups.get(0) ?? [], stretches };
  groups.delete(0);
  const coded = [...groups].sort(([a], [b]) => a - b);
  return [
    ...coded.map(([status, of]) => ({ group: { status }, pieces: of, stretches: [] })),
    ...(none.pieces.length + stretches.length === 0 ? [] : [none]),
    ...(unknown.length === 0 ? [] : [{ group: { status: 'unknown' as const }, pieces: unknown, stretches: [] }]),
  ];
}
