// Response times of the last 24 hours as two thin lines: p50 in front of p95, with gaps.
import { milliseconds } from '../text/format.ts';
import css from './charts.module.css';

type Point = { readonly p50: number; readonly p95: number } | null;

const size = { width: 96, height: 22 };

function path(values: readonly (number | null)[], top: number): string {
  const step = size.width / Math.max(1, values.length - 1);
  let pen = 'M';
  let text = '';
  for (const [index, value] of values.entries()) {
    if (value === null) {
      pen = 'M';
      continue;
    }
    const y = size.height - (value / top) * size.height;
    text += `${pen}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
    // A single hour between two gaps is a short dash, so that it is visible.
    if (pen === 'M') text += 'h1.5';
    pen = 'L';
  }
  return text;
}

/** Fewer hours than this are stray dots. */
const leastPoints = 3;

/** @param points hours, oldest first; null = no response time */
export function Sparkline({ points }: { readonly points: readonly Point[] }) {
  if (points.filter((point) => point !== null).length < leastPoints) return null;
  const top = Math.max(1, ...points.map((point) => point?.p95 ?? 0)) * 1.05;
  const last = points.findLast((point) => point !== null);
  const label =
    last === undefined || last === null
      ? 'No response times'
      : `Response time of the last hour: p50 ${milliseconds(last.p50)}, p95 ${milliseconds(last.p95)}`;
  return (
    <svg
      className={css['spark']}
      viewBox={`0 0 ${size.width} ${size.height}`}
      width={size.width}
      height={size.height}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <path
        className={css['sparkFaint']}
        d={path(
          points.map((point) => point?.p95 ?? null),
          top,
        )}
      />
      <path
        className={css['sparkLine']}
        d={path(
          points.map((point) => point?.p50 ?? null),
          top,
        )}
      />
    </svg>
  );
}
