// Outcomes over the range of the chart: one segment per interval, hatched if unknown.
import type { AnswerOf } from '#contract/operations.ts';
import charts from '../../ui/checks/charts.module.css';
import { type Bucket, words, worst } from '../../ui/checks/outcome-bar.tsx';
import { dayAndTime } from '../../ui/text/format.ts';
import { useNow } from '../../ui/text/now.ts';
import { At } from '../../ui/text/time.tsx';
import type { Analytics } from './chart-data.ts';
import type { Span } from './search.ts';
import { text } from './strings.ts';
import css from './check.module.css';

const height = 22;

export function Timeline({
  check,
  series,
  span: { from, to },
  hasAxis,
  onZoom,
}: {
  readonly check: AnswerOf<'getCheck'>;
  readonly series: Analytics['series'];
  readonly span: Span;
  /** Whether it is below a chart with an axis. */
  readonly hasAxis: boolean;
  readonly onZoom: (from: number, to: number) => void;
}) {
  const now = useNow();
  const createdAt = Math.min(to, Date.parse(check.created_at));
  const since = Math.max(from, createdAt);
  const buckets = bucketsOf(series).filter((bucket) => bucket.endsAt > since && bucket.startsAt < to);
  // Missing results are unknown; the future is empty.
  const lookOf = (bucket: Interval): string => {
    const look = worst(bucket);
    return look === 'none' && bucket.endsAt <= now ? 'unknown' : look;
  };
  const failed = buckets.filter((bucket) => bucket.failed > 0).length;
  const place = (at: number): number => Math.min(1, Math.max(0, (at - from) / (to - from))) * 100;
  return (
    <div className={css['timeline']} data-axis={hasAxis ? '' : undefined}>
      <svg
        className={charts['bar']}
        height={height}
        width="100%"
        role="img"
        aria-label={text.timelineLabel(failed, buckets.length)}
      >
        {createdAt > from && (
          <rect width={`${place(createdAt)}%`} height={height} className={charts['before']}>
            <title>{`${text.notMonitored} ${dayAndTime(createdAt)}`}</title>
          </rect>
        )}
        {buckets.map((bucket) => {
          const [left, right] = [place(Math.max(createdAt, bucket.startsAt)), place(bucket.endsAt)];
          return (
            <rect
              key={bucket.from}
              x={`${left}%`}
              width={`${Math.max(0.1, (right - left) * 0.9)}%`}
              height={height}
              className={`${charts[lookOf(bucket)]} ${css['segmentOfTime']}`}
              onClick={() => onZoom(bucket.startsAt, bucket.endsAt)}
            >
              <title>{words(bucket)}</title>
            </rect>
          );
        })}
      </svg>
      <ul className={css['legend']}>
        {Object.entries(text.legend).map(([outcome, word]) => (
          <li key={outcome}>
            <svg width="12" height="12" aria-hidden>
              <rect width="12" height="12" rx="2" className={charts[outcome]} />
            </svg>
            {word}
          </li>
        ))}
        {createdAt > from && (
          <li>
            <svg width="12" height="12" aria-hidden>
              <rect width="11" height="11" x="0.5" y="0.5" rx="2" className={charts['before']} />
            </svg>
            <span>
              {text.notMonitored} <At at={createdAt} />
            </span>
          </li>
        )}
      </ul>
    </div>
  );
}

interface Interval extends Bucket {
  /** Epoch ms. */
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Intervals with the outcomes of all locations. */
function bucketsOf(series: Analytics['series']): Interval[] {
  const byStart = new Map<string, Interval>();
  for (const { startsAt, endsAt, runs } of series.flatMap(({ data }) => data)) {
    const known = byStart.get(startsAt);
    byStart.set(startsAt, {
      from: startsAt,
      startsAt: Date.parse(startsAt),
      endsAt: Date.parse(endsAt),
      passed: (known?.passed ?? 0) + runs.passed,
      degraded: (known?.degraded ?? 0) + runs.degraded,
      failed: (known?.failed ?? 0) + runs.failed,
      unknown: (known?.unknown ?? 0) + runs.unknown,
      missed: (known?.missed ?? 0) + runs.missed,
    });
  }
  return [...byStart.values()];
}
