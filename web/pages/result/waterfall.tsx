// A waterfall chart of time spans.
import { milliseconds } from '../../ui/text/format.ts';
import css from './result.module.css';

export interface Span {
  readonly name: string;
  /** ms after the start. */
  readonly startMs: number;
  readonly durationMs: number;
  /** End of the bar, ms. Default: after the duration. */
  readonly endMs?: number;
  /** Levels of indentation. */
  readonly depth?: number;
  /** CSS colour. */
  readonly colour: string;
  readonly hasFailed?: boolean;
  readonly isQuiet?: boolean;
}

export function Waterfall({ label, spans }: { readonly label: string; readonly spans: readonly Span[] }) {
  const start = Math.min(...spans.map(({ startMs }) => startMs));
  const total = Math.max(1e-6, ...spans.map((span) => endOf(span) - start));
  return (
    <ol className={css['waterfall']} aria-label={label}>
      {spans.map((span, index) => {
        const { name, startMs, durationMs, depth = 0, colour, hasFailed, isQuiet } = span;
        return (
          <li key={index} data-quiet={isQuiet ? '' : undefined} data-failed={hasFailed ? '' : undefined}>
            <span className={css['spanName']} style={{ paddingLeft: depth * 14 }}>
              {name}
              {hasFailed && <strong> failed</strong>}
            </span>
            <span className={css['spanTrack']} aria-hidden>
              <span
                style={{
                  marginLeft: `${((startMs - start) / total) * 100}%`,
                  width: `${((endOf(span) - startMs) / total) * 100}%`,
                  background: colour,
                }}
              />
            </span>
            <span className={css['spanTime']}>{milliseconds(durationMs)}</span>
          </li>
        );
      })}
    </ol>
  );
}

function endOf({ startMs, durationMs, endMs }: Span): number {
  return endMs ?? startMs + durationMs;
}
