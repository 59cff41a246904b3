// The outcomes of the last 24 hours as a bar: one segment per hour, hatched if unknown.
import { dayAndTime, plural } from '../text/format.ts';
import css from './charts.module.css';

/** Outcomes of one hour. */
export interface Bucket {
  readonly from: string;
  readonly passed: number;
  readonly degraded: number;
  readonly failed: number;
  readonly unknown: number;
  readonly missed: number;
}

/** The definition of the hatching; once per page. */
export function HatchPattern() {
  return (
    <svg width="0" height="0" aria-hidden className={css['definitions']}>
      <defs>
        <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" className={css['hatchBack']} />
          <rect width="2" height="5" className={css['hatchLine']} />
        </pattern>
      </defs>
    </svg>
  );
}

/** The outcome that determines the color of a bucket. */
export function worst({ passed, degraded, failed, unknown, missed }: Bucket): string {
  if (failed > 0) return 'failed';
  if (degraded > 0) return 'degraded';
  if (unknown + missed > passed) return 'unknown';
  return passed > 0 ? 'passed' : 'none';
}

/** The content of a bucket as a sentence. */
export function words(bucket: Bucket): string {
  const parts = [
    bucket.passed > 0 && `${bucket.passed} passed`,
    bucket.degraded > 0 && `${bucket.degraded} degraded`,
    bucket.failed > 0 && `${bucket.failed} failed`,
    bucket.unknown > 0 && `${bucket.unknown} unknown`,
    bucket.missed > 0 && `${bucket.missed} missed`,
  ].filter(Boolean);
  return `${dayAndTime(Date.parse(bucket.from))}: ${parts.length === 0 ? 'no results' : parts.join(', ')}`;
}

/** @param buckets hours, oldest first */
export function OutcomeBar({
  buckets,
  height = 20,
}: {
  readonly buckets: readonly Bucket[];
  readonly height?: number;
}) {
  const failedHours = buckets.filter(({ failed }) => failed > 0).length;
  const label =
    failedHours === 0 ? 'No failure in the last 24 hours' : `Failures in ${plural(failedHours, 'hour')} of 24`;
  const width = 100 / Math.max(1, buckets.length);
  return (
    <svg
      className={css['bar']}
      height={height}
      width="100%"
      role="img"
      aria-label={label}
      onPointerMove={({ currentTarget, clientX }) => {
        // Computed on demand, because a list has thousands of hours.
        const { left, width: whole } = currentTarget.getBoundingClientRect();
        const bucket = buckets[Math.floor(((clientX - left) / whole) * buckets.length)];
        const title = currentTarget.querySelector('title');
        if (bucket !== undefined && title !== null) title.textContent = words(bucket);
      }}
    >
      <title />
      {buckets.map((bucket, index) => (
        <rect
          key={bucket.from}
          x={`${index * width}%`}
          width={`${width * 0.84}%`}
          height={height}
          rx="1.5"
          className={css[worst(bucket)]}
        />
      ))}
    </svg>
  );
}
