// Figures of roll-ups: availability, response times and their percentiles (reference §4.7).
import { type DetailedRollUp, sumOfPhases } from './detailed-roll-up.ts';
import { coarseQuantileOf, type Phase, phaseNames, type Phases } from './phases.ts';
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

/** What times are of: all of a response, or a phase of it. */
const bases = ['responseTime', ...phaseNames] as const;
type Base = (typeof bases)[number];
type TimeMetric = `${Base}_${Aggregation}`;

/** The metrics that roll-ups can answer. */
export const metricNames = [
  ...bases.flatMap((base) => aggregations.map((aggregation): TimeMetric => `${base}_${aggregation}`)),
  'availability',
  'retries',
] as const;
export type Metric = (typeof metricNames)[number];

/** The phase that a metric is about; null = of none. */
export function phaseOf(metric: Metric): Phase | null {
  return phaseNames.find((phase) => metric.startsWith(`${phase}_`)) ?? null;
}

/** Those of them that can be asked of a kind of check. */
export function metricsOf({ phases }: Measures): Metric[] {
  return metricNames.filter((metric) => {
    const phase = phaseOf(metric);
    return phase === null || phases.includes(phase);
  });
}

/** What results of a kind of check say beside outcome and response time, that they can be counted by. */
export interface Measures {
  /** Whether they hold the status code of an answer. */
  readonly statusCode: boolean;
  /** Those of a response that they may hold. */
  readonly phases: readonly Phase[];
}

/** What a metric means, for people and charts. */
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
  // The name of such a metric is made of it.
  return metric.slice(metric.indexOf('_') + 1) as Aggregation;
}

/** Whose response times count; `success` is passed and degraded. */
export type ResultStatus = 'success' | 'failure';

/**
 * A metric of a roll-up: ms, percent or a count; null when there is nothing it could be of.
 *
 * @param phases of the same results, where one is asked about; null = not known
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

/** Percent of the known time in which the check did not fail; null when nothing is known. */
export function availabilityOf({ knownMs, downMs }: RollUp): number | null {
  return knownMs === 0 ? null : rounded((100 * (knownMs - downMs)) / knownMs, 4);
}

/** Percent of the time of all slots of which nothing is known; null when there were none. */
export function unknownRatioOf({ knownMs, unknownMs }: RollUp): number | null {
  return knownMs + unknownMs === 0 ? null : rounded((100 * unknownMs) / (knownMs + unknownMs), 4);
}

/** Percent of the results with a verdict that did not fail; null of none. */
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

const shares: Partial<Record<Aggregation, number>> = { median: 0.5, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 };

function responseTimeOf(
  aggregation: Aggregation,
  { count, sum, sumOfSquares, least, most, sketch }: Responses,
  quantile: typeof quantileOf,
) {
  if (count === 0) return null;
  const share = shares[aggregation];
  // A class may reach beyond what was measured.
  if (share !== undefined) return Math.min(most, Math.max(least, quantile(sketch, share) ?? 0));
  const mean = sum / count;
  if (aggregation === 'avg') return mean;
  if (aggregation === 'min') return least;
  if (aggregation === 'max') return most;
  return aggregation === 'sum' ? sum : Math.sqrt(Math.max(0, sumOfSquares / count - mean * mean));
}

function rounded(value: number, digits = 3): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** A part of a history: what a span that begins at `startAt` (epoch ms) came to at a location. */
export interface Piece {
  readonly startAt: number;
  readonly location: string;
  readonly rollUp: RollUp;
}

/** What each of some spans that lie side by side came to, in their order. */
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

/** How long phases took in each of some spans that lie side by side; null where a part of a span is not known. */
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

/** Which of the spans holds an instant; -1 = it is before the first. */
function indexAt(spans: readonly TimeSpan[], at: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.from ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What a series is of, where it is not of all. */
export interface SeriesGroup {
  readonly location?: string;
  /**
   * A status code, or `none`: there was no answer, or the slot was not run. `unknown`: of roll-ups that were made before
   * status codes were kept (docs/decisions/0040).
   */
  readonly status?: number | 'none' | 'unknown';
}

/** A piece, and what it is made of. */
export type DetailedPiece = Piece & { readonly rollUp: DetailedRollUp };

/** A series, and the parts of a history that it is of. */
export interface Grouped {
  readonly group: SeriesGroup;
  readonly pieces: readonly (Piece & { readonly rollUp: RollUp & Partial<DetailedRollUp> })[];
  readonly stretches: readonly Stretch[];
}

/** The parts of a history by run location, by name. */
export function byLocation(pieces: readonly DetailedPiece[], stretches: readonly Stretch[]): Grouped[] {
  const locations = new Set([...pieces, ...stretches].map(({ location }) => location));
  return [...locations].sort().map((location) => ({
    group: { location },
    pieces: pieces.filter((piece) => piece.location === location),
    stretches: stretches.filter((stretch) => stretch.location === location),
  }));
}

/** The parts of a history by status code, in their order; those without one behind them. */
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
