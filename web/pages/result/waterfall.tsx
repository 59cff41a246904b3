// Spans of time, one below the other, where they begin and how long they take.
import { milliseconds } from '../../ui/text/format.ts';
import css from './result.module.css';

export interface Span {
  readonly name: string;
  /** ms after the start. */
  readonly startMs: number;
  readonly durationMs: number;
  /** CSS colour. */
  readonly colour: string;
  readonly hasFailed?: boolean;
  readonly isQuiet?: boolean;
}

export function Waterfall({ label, spans }: { readonly label: string; readonly spans: readonly Span[] }) {
  const start = Math.min(...spans.map(({ startMs }) => startMs));
  const total = Math.max(1e-6, ...spans.map(({ startMs, durationMs }) => startMs + durationMs - start));
  return (
    <ol className={css['waterfall']} aria-label={label}>
      {spans.map(({ name, startMs, durationMs, colour, hasFailed, isQuiet }, index) => (
        <li key={index} data-quiet={isQuiet ? '' : undefined} data-failed={hasFailed ? '' : undefined}>
          <span className={css['spanName']}>
            {name}
            {hasFailed && <strong> failed</strong>}
          </span>
          <span className={css['spanTrack']} aria-hidden>
            <span
              style={{
                marginLeft: `${((startMs - start) / total) * 100}%`,
                width: `${(durationMs / total) * 100}%`,
                background: colour,
              }}
            />
          </span>
          <span className={css['spanTime']}>{milliseconds(durationMs)}</span>
        </li>
      ))}
    </ol>
  );
}
