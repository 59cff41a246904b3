// The status pages that show one of some services, as links.
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useEveryEntry } from '../../api/entries.ts';
import { text } from './strings.ts';

type Page = AnswerOf<'getStatusPage'>;

/** @param none what is said if no page does */
export function PagesOf({
  pages,
  serviceIds,
  before = '',
  none,
}: {
  readonly pages: readonly Page[] | undefined;
  readonly serviceIds: readonly string[];
  /** Text before the links. */
  readonly before?: string;
  readonly none: string;
}) {
  if (pages === undefined) return null;
  const shown = withServices(pages, serviceIds);
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

/** Pages that show an incident of these services. */
function withServices(pages: readonly Page[], serviceIds: readonly string[]): Page[] {
  if (serviceIds.length === 0) return [...pages];
  return pages.filter(({ cards }) => cards.some(({ services }) => services.some(({ id }) => serviceIds.includes(id))));
}

/** How many are notified of an update about these services. */
export function NotifiedBy({ serviceIds }: { readonly serviceIds: readonly string[] }) {
  const pages = useEveryEntry('listStatusPages').data;
  if (pages === undefined) return null;
  const published = withServices(pages, serviceIds).filter(({ isPublished }) => isPublished);
  const readable = published.filter(({ visibility }) => visibility !== 'ACCOUNT');
  const subscribers = readable.reduce((sum, page) => sum + page.subscribers, 0);
  const channels = new Set(published.flatMap(({ alertChannelIds }) => alertChannelIds));
  return <p className="quiet">{text.notifies(subscribers, channels.size)}</p>;
}

/** Which pages show an incident of these services. */
export function ShownOn({ serviceIds }: { readonly serviceIds: readonly string[] }) {
  const pages = useEveryEntry('listStatusPages');
  return (
    <p className="quiet">
      <PagesOf
        pages={pages.data}
        serviceIds={serviceIds}
        before={serviceIds.length === 0 ? text.shownOnAll : text.shownOn}
        none={pages.data?.length === 0 ? text.noPages : text.shownNowhere}
      />
    </p>
  );
}
