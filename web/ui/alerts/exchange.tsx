// One side of an HTTP exchange: line, headers, body. Everything is untrusted and shown as text.
import { Code } from '../controls/copy.tsx';
import { HeaderList } from '../layout/header-list.tsx';
import { type Headers, prettyBody } from '../text/http-text.ts';
import css from './exchange.module.css';

export function Exchange({
  title,
  line,
  headers,
  body,
}: {
  readonly title: string;
  readonly line: string;
  readonly headers: Headers;
  readonly body: string;
}) {
  return (
    <section className={css['exchange']} aria-label={title}>
      <h3>{title}</h3>
      <p className={`mono ${css['line']}`}>{line}</p>
      <HeaderList headers={headers} name={title} />
      {body === '' ? (
        <p className="quiet">Empty body</p>
      ) : (
        <Code label={`Body of the ${title.toLowerCase()}`} text={prettyBody(body)} />
      )}
    </section>
  );
}
