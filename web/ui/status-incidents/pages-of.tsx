// The status pages that show one of some services, as links.
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useEveryEntry } from '../../api/entries.ts';
import { text } from './strings.ts';

/** @param none what is said if no page does */
export function PagesOf({
  pages,
  serviceIds,
  before = '',
  none,
}: {
  readonly pages: readonly AnswerOf<'getStatusPage'>[] | undefined;
  readonly serviceIds: readonly string[];
  /** Text before the links. */
  readonly before?: string;
  readonly none: string;
}) {
  if (pages === undefined) return null;
  const shown = pages.filter(({ cards }) =>
    cards.some(({ services }) => services.some(({ id }) => serviceIds.includes(id))),
  );
  if (shown.length === 0) return none;
  return (
    <span>
      {before}
      {shown.map(({ id, name }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <Link to="/status-pages/$pageId" params={{ pageId: id }}>
            {name}
          </Link>
        </Fragment>
      ))}
    </span>
  );
}

/** Which pages show an incident of these services. */
export function ShownOn({ serviceIds }: { readonly serviceIds: readonly string[] }) {
  const pages = useEveryEntry('listStatusPages');
  return (
    <p className="quiet">
      <PagesOf pages={pages.data} serviceIds={serviceIds} before={text.shownOn} none={text.shownNowhere} />
    </p>
  );
}
