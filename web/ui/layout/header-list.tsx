// Headers of a request or response, which can be folded.
import { plural } from '../text/format.ts';
import { type Headers, headerLines } from '../text/http-text.ts';
import css from './header-list.module.css';

/** @param name whose headers they are */
export function HeaderList({
  headers,
  name,
  isOpen = false,
}: {
  readonly headers: Headers;
  readonly name: string;
  readonly isOpen?: boolean;
}) {
  const lines = headerLines(headers);
  if (lines.length === 0) return null;
  const title = plural(lines.length, 'header');
  return (
    <details className={css['details']} open={isOpen}>
      <summary>{title}</summary>
      <dl className={css['headers']} aria-label={`${name}: ${title}`}>
        {lines.map(([header, value], index) => (
          <div key={index}>
            <dt>{header}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
