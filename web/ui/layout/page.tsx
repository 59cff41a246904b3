// The frame of every page: title, actions, sections.
import { type ReactNode, useEffect } from 'react';
import css from './page.module.css';

/** The head of a page; `title` is the title of the tab, too. */
export function PageHead({
  title,
  above,
  heading,
  children,
}: {
  readonly title: string;
  readonly above?: ReactNode;
  readonly heading?: ReactNode;
  readonly children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Tocsin`;
  }, [title]);
  return (
    <header className={css['head']}>
      <div className={css['titles']}>
        {above !== undefined && <div className={css['above']}>{above}</div>}
        <h1>{heading ?? title}</h1>
      </div>
      {children !== undefined && <div className={css['actions']}>{children}</div>}
    </header>
  );
}

/** A titled part of a page. */
export function Section({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={css['section']} aria-label={title}>
      <div className={css['sectionHead']}>
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Names and values in two columns. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={css['facts']}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
