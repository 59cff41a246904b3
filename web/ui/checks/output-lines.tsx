// Lines of output with their times, as of scripts and pages.
import { clockTime, count, withoutColours } from '../text/format.ts';
import css from './output-lines.module.css';

/** A line of output. */
export interface OutputLine {
  /** Epoch ms. */
  readonly time: number;
  readonly level: string;
  readonly msg: string;
}

/** Maximum number of lines shown; there may be thousands. */
const linesMost = 500;

/** Lines in a box that scrolls, and how many more there are. @param label names the box for screen readers */
export function OutputLines({ label, lines }: { readonly label: string; readonly lines: readonly OutputLine[] }) {
  return (
    <>
      <div className={css['lines']} tabIndex={0} role="region" aria-label={label}>
        {lines.slice(0, linesMost).map(({ time, level, msg }, index) => (
          <p key={index} data-level={level.toLowerCase()}>
            <time dateTime={new Date(time).toISOString()}>{clockTime(time)}</time>
            <span className={css['level']}>{level.toLowerCase()}</span>
            <span className={css['text']}>{withoutColours(msg).trimEnd()}</span>
          </p>
        ))}
      </div>
      {lines.length > linesMost && <p className="quiet">{count(lines.length - linesMost)} more lines not shown.</p>}
    </>
  );
}
