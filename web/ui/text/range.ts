// Time ranges that pages offer.

export const ranges = { '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' } as const;
export type Range = keyof typeof ranges;

const lengthMs: Readonly<Record<Range, number>> = { '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 };

/** Whether a search parameter is a range. */
export function isRange(value: unknown): value is Range {
  return typeof value === 'string' && value in ranges;
}

/** Start of a range as ISO 8601, in full minutes so that a query stays the same for a while. */
export function rangeStart(range: Range, now: number): string {
  return new Date(Math.floor((now - lengthMs[range]) / 60_000) * 60_000).toISOString();
}
