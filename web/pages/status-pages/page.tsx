// All status pages: their addresses, who sees them, and their open incidents.
import { Link } from '@tanstack/react-router';
import { useMoreEntries, useEveryEntry } from '../../api/entries.ts';
import { useMay } from '../../api/me.ts';
import { ButtonLink } from '../../ui/controls/button.tsx';
import { More } from '../../ui/controls/more.tsx';
import { Empty } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { Loaded, Places, type StatusPage } from './frame.tsx';
import { text } from './strings.ts';
import css from './status-pages.module.css';

export function StatusPagesPage() {
  const { write } = useMay();
  const pages = useMoreEntries('listStatusPages');
  return (
    <>
      <PageHead title={text.title}>{write && <ButtonLink to="/status-pages/new">{text.create}</ButtonLink>}</PageHead>
      <Places />
      <p className="quiet">{text.pagesHelp}</p>
      <Loaded read={{ ...pages, data: pages.items }}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={text.pagesEmpty}>
              <p>{write ? text.pagesEmptyHelp : text.readOnlyEmpty}</p>
            </Empty>
          ) : (
            <>
              <List pages={items} />
              <More {...pages} shown={items.length} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function List({ pages }: { readonly pages: readonly StatusPage[] }) {
  const open = useEveryEntry('listStatusIncidents', { isOpen: true, isDraft: false });
  const { columns } = text;
  const openOn = (page: StatusPage): number => {
    const ids = new Set(servicesOf(page));
    return (open.data ?? []).filter(({ services }) => services.some(({ id }) => ids.has(id))).length;
  };
  return (
    <Table
      label={text.title}
      rows={pages}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'name',
          title: columns.name,
          isName: true,
          cell: ({ id, name }) => (
            <Link to="/status-pages/$pageId" params={{ pageId: id }} data-row>
              {name}
            </Link>
          ),
        },
        {
          id: 'address',
          title: columns.address,
          cell: ({ pageUrl }) => (
            <a className={css['message']} href={pageUrl}>
              {pageUrl.replace(/^https?:\/\//, '')}
            </a>
          ),
        },
        { id: 'state', title: columns.state, cell: ({ isPublished }) => <PublishedMark isPublished={isPublished} /> },
        { id: 'audience', title: columns.audience, cell: ({ visibility }) => text.audiences[visibility] },
        { id: 'services', title: columns.services, isNumber: true, cell: (page) => servicesOf(page).length },
        { id: 'open', title: columns.open, isNumber: true, cell: openOn },
      ]}
    />
  );
}

/** IDs of the services on a page, each once. */
function servicesOf({ cards }: StatusPage): readonly string[] {
  return [...new Set(cards.flatMap(({ services }) => services.map(({ id }) => id)))];
}

export function PublishedMark({ isPublished }: { readonly isPublished: boolean }) {
  return <span className={css[isPublished ? 'live' : 'draft']}>{isPublished ? text.published : text.draft}</span>;
}
