// Formats durations for pages.

/** @returns `0.043 ms`, `20.4 ms`, `320 ms`, `5.30 s` or `12.3 s` */
export function milliseconds(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(ms >= 10_000 ? 1 : 2)} s`;
  if (ms < 1) return ms < 0.001 ? '0 ms' : `${ms.toPrecision(2)} ms`;
  return ms >= 100 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}
