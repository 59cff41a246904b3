// The services of status pages: what tells their state, and which pages show them.
import { Link } from '@tanstack/react-router';
import { useEveryEntry, useMoreEntries } from '../../api/entries.ts';
import { useMay } from '../../api/me.ts';
import { ButtonLink } from '../../ui/controls/button.tsx';
import { More } from '../../ui/controls/more.tsx';
import { Empty } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { plural } from '../../ui/text/format.ts';
import { Loaded, Places, type Service } from './frame.tsx';
import { ServiceStateBadge } from '../../ui/checks/state.tsx';
import { PagesOf } from '../../ui/status-incidents/pages-of.tsx';
import { text } from './strings.ts';

export function StatusServicesPage() {
  const { write } = useMay();
  const services = useMoreEntries('listStatusServices');
  return (
    <>
      <PageHead title={text.services}>
        {write && <ButtonLink to="/status-pages/services/new">{text.newService}</ButtonLink>}
      </PageHead>
      <Places />
      <p className="quiet">{text.servicesHelp}</p>
      <Loaded read={{ ...services, data: services.items }}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={text.servicesEmpty} />
          ) : (
            <>
              <List services={items} />
              <More {...services} shown={items.length} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function List({ services }: { readonly services: readonly Service[] }) {
  const pages = useEveryEntry('listStatusPages');
  const { columns } = text;
  return (
    <Table
      label={text.services}
      rows={services}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'name',
          title: columns.name,
          isName: true,
          cell: ({ id, name }) => (
            <Link to="/status-pages/services/$serviceId" params={{ serviceId: id }} data-row>
              {name}
            </Link>
          ),
        },
        { id: 'state', title: columns.state, cell: ({ state }) => <ServiceStateBadge state={state} /> },
        { id: 'source', title: columns.source, cell: sourceOf },
        {
          id: 'pages',
          title: columns.pages,
          cell: ({ id }) => <PagesOf pages={pages.data} serviceIds={[id]} none={text.none} />,
        },
      ]}
    />
  );
}

/** `2 checks, 1 tag`. */
function sourceOf({ checkIds, groupIds, tags }: Service): string {
  const { sourceCounts } = text;
  const counts = [
    [checkIds.length, sourceCounts.checks],
    [groupIds.length, sourceCounts.groups],
    [tags.length, sourceCounts.tags],
  ] as const;
  const named = counts.filter(([number]) => number > 0).map(([number, noun]) => plural(number, noun));
  return named.length === 0 ? text.manual : named.join(', ');
}
