// Search parameters of the check page.

export const chartRanges = {
  '1h': ['1 h', 3_600_000],
  '6h': ['6 h', 21_600_000],
  '24h': ['24 h', 86_400_000],
  '7d': ['7 d', 604_800_000],
  '30d': ['30 d', 2_592_000_000],
  '90d': ['90 d', 7_776_000_000],
} as const;
export type ChartRange = keyof typeof chartRanges;

export const outcomes = ['passed', 'degraded', 'failed', 'unknown', 'missed'] as const;

// A type, because the router takes no interface as search.
export type CheckSearch = {
  /** Default: 24 hours. */
  readonly range?: ChartRange;
  /** A zoomed range, ISO 8601; overrides the range. */
  readonly from?: string;
  readonly to?: string;
  /** Default: phases if the check has one location. */
  readonly view?: 'phases' | 'times';
  /** Outcomes in the list of results. */
  readonly outcome?: (typeof outcomes)[number];
  /** Location in the list of results. */
  readonly location?: string;
};

export function checkSearch(search: Record<string, unknown>): CheckSearch {
  const { range, from, to, view, outcome, location } = search;
  const isZoomed = isInstant(from) && isInstant(to) && Date.parse(from) < Date.parse(to);
  return {
    ...(typeof range === 'string' && range in chartRanges && { range: range as ChartRange }),
    ...(isZoomed && { from, to }),
    ...((view === 'phases' || view === 'times') && { view }),
    ...(isOutcome(outcome) && { outcome }),
    ...(typeof location === 'string' && location !== '' && { location }),
  };
}

function isOutcome(value: unknown): value is (typeof outcomes)[number] {
  return outcomes.some((outcome) => outcome === value);
}

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** A span of time, epoch ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** Whether it ends now. */
  readonly isLive: boolean;
}

/** The displayed span, in full minutes so that its requests stay cacheable for a while. */
export function spanOf({ range = '24h', from, to }: CheckSearch, now: number): Span {
  if (from !== undefined && to !== undefined) return { from: Date.parse(from), to: Date.parse(to), isLive: false };
  const end = Math.ceil(now / 60_000) * 60_000;
  return { from: end - chartRanges[range][1], to: end, isLive: true };
}
