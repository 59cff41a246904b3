// Percentiles and rates.

/** Percentile: the value below which `share` (0..1) of the values lie; NaN if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The largest value; NaN if there are none. Accepts lists of any length. */
export function largest(values: readonly number[]): number {
  return values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
}

/** Median of a few repeated measurements. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
