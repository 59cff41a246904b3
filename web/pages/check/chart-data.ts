// Response times as series of a chart: single results if there are few, otherwise intervals.
import { phaseLabels } from '#checks/show.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { phaseColour, phaseOrder, phasesOf, type Result, shownTime } from '../../ui/checks/evidence.ts';
import { scheduleOf, showOf, timeLabel } from '../../ui/checks/kind.ts';
import type { Span } from './search.ts';

export type Analytics = AnswerOf<'getCheckAnalytics'>;
type Check = AnswerOf<'getCheck'>;

export interface Series {
  readonly name: string;
  /** CSS colour, tokens included. */
  readonly colour: string;
  readonly look: 'line' | 'dashed' | 'area';
  /** ms; null = a gap, undefined = not a point of this series. */
  readonly values: readonly (number | null | undefined)[];
}

export interface ChartData {
  /** Epoch ms, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** The result at each time; none for intervals. */
  readonly results: readonly (Result | null)[] | null;
  /** Whether a run at that time failed. */
  readonly failed: readonly boolean[];
}

/** Maximum number of results per request. */
const singleMost = 100;

/** Interval in minutes that contains at least one result. */
function slotMinutes(check: Check): number {
  const { interval, grace } = scheduleOf(check);
  return interval + grace;
}

/** Whether the results of a span are few enough to show each. */
export function isShownSingly(check: Check, { from, to }: Span): boolean {
  const places = check.runParallel ? Math.max(1, check.locations.length) : 1;
  return ((to - from) / 60_000 / scheduleOf(check).interval) * places <= singleMost;
}

/** Length of the intervals, minutes: about a hundred, none shorter than the check's own, as the API requires. */
export function bucketMinutes(check: Check, { from, to }: Span): number {
  const minutes = (to - from) / 60_000;
  const interval = slotMinutes(check);
  // A run that is a second late must not leave an interval empty.
  const least = Math.ceil(interval <= 10 ? 2 * interval : interval);
  if (minutes <= 1440) return Math.max(least, minutes <= 120 ? 1 : minutes <= 480 ? 5 : 15);
  const usual = minutes <= 11_520 ? 60 : minutes <= 46_080 ? 360 : 1440;
  return Math.min(43_200, Math.max(usual, Math.ceil(least / 60) * 60));
}

/** Metrics of the chart, as the API names them for a check type. */
export function chartMetrics(type: Check['checkType']): readonly string[] {
  const { called, phases } = showOf(type);
  if (called) return ['availability'];
  return [
    'responseTime_p50',
    'responseTime_p95',
    ...(phases === 'intervals' ? phaseMetrics.map(([name]) => name) : []),
  ];
}

const phaseMetrics = ['wait', 'dns', 'tcp', 'firstByte', 'download'].map(
  (phase) => [`${phase}_avg`, phaseLabels[phase] ?? phase] as const,
);

const locationColours = [2, 4, 5, 3, 1, 6].map((number) => `var(--phase-${number})`);

type Entry = Analytics['series'][number]['data'][number];

function metric(entry: Entry | undefined, name: string): number | null {
  const value = entry?.[name];
  return typeof value === 'number' ? value : null;
}

/** Percentiles of each location, or the average phases of one location. */
export function intervalData({ series }: Analytics, isByPhase: boolean): ChartData {
  const starts = [...new Set(series.flatMap(({ data }) => data.map(({ startsAt }) => startsAt)))].toSorted();
  const columns = series.map(({ runLocation, data }) => {
    const entries = new Map(data.map((entry) => [entry.startsAt, entry]));
    return { location: runLocation ?? '', entries: starts.map((start) => entries.get(start)) };
  });
  const isOne = columns.length === 1;
  const times = columns.flatMap(({ location, entries }, index): Series[] => {
    const name = (which: string): string => (isOne ? which : `${location}, ${which}`);
    const colour = isOne ? 'var(--text)' : (locationColours[index % locationColours.length] ?? '');
    const values = (which: string) => entries.map((entry) => metric(entry, which));
    return [
      { name: name('p50'), colour, look: 'line', values: values('responseTime_p50') },
      {
        name: name('p95'),
        colour: isOne ? 'var(--text-2)' : colour,
        look: 'dashed',
        values: values('responseTime_p95'),
      },
    ];
  });
  const phases = phaseMetrics.flatMap(([key, name]): Series[] => {
    const values = columns[0]?.entries.map((entry) => metric(entry, key)) ?? [];
    return values.some((value) => value !== null && value > 0)
      ? [{ name, colour: phaseColour(name), look: 'area', values }]
      : [];
  });
  return {
    times: starts.map((start) => Date.parse(start)),
    series: isByPhase && isOne && phases.length > 0 ? [...phases, ...times.slice(1)] : times,
    results: null,
    failed: starts.map((_, index) => columns.some(({ entries }) => (entries[index]?.runs.failed ?? 0) > 0)),
  };
}

/** Each result separately. @param results newest first */
export function singleData(results: readonly Result[], isByPhase: boolean, check: Check): ChartData {
  const points = withGaps(results.toReversed(), scheduleOf(check).interval * 60_000);
  const locations = [...new Set(results.map(({ runLocation }) => runLocation))].toSorted();
  const names = [...new Set(results.flatMap((result) => phasesOf(result).map(({ name }) => name)))].toSorted(
    (one, other) => phaseOrder(one) - phaseOrder(other),
  );
  const byPhase = names.map((name): Series => {
    const values = points.map(({ result }) => {
      const phases = result === null ? [] : phasesOf(result);
      return phases.length === 0 ? null : (phases.find((phase) => phase.name === name)?.ms ?? 0);
    });
    return { name, colour: phaseColour(name), look: 'area', values };
  });
  const isOne = locations.length <= 1;
  const byLocation = locations.map((location, index): Series => ({
    name: isOne ? timeLabel(check.checkType) : location,
    colour: isOne ? 'var(--text)' : (locationColours[index % locationColours.length] ?? ''),
    look: 'line',
    values: points.map(({ result }) => {
      // Results of other locations lie between without being a gap.
      if (result !== null && result.runLocation !== location) return undefined;
      return result === null ? null : shownTime(result);
    }),
  }));
  return {
    times: points.map(({ at }) => at),
    series: isByPhase && isOne && byPhase.length > 0 ? byPhase : byLocation,
    results: points.map(({ result }) => result),
    failed: points.map(({ result }) => result?.hasFailures ?? false),
  };
}

interface Point {
  readonly at: number;
  /** null = nothing was measured around this time. */
  readonly result: Result | null;
}

/** @param results oldest first */
function withGaps(results: readonly Result[], intervalMs: number): Point[] {
  const latest = new Map<string, number>();
  return results
    .flatMap((result): Point[] => {
      const at = Date.parse(result.startedAt);
      const before = latest.get(result.runLocation) ?? at;
      latest.set(result.runLocation, at);
      const point = { at, result };
      return at - before > 2.5 * intervalMs ? [{ at: (at + before) / 2, result: null }, point] : [point];
    })
    .toSorted((one, other) => one.at - other.at);
}
