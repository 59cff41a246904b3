// All check groups.
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/me.ts';
import { useMore } from '../../api/query.ts';
import { ButtonLink } from '../../ui/controls/button.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { More } from '../../ui/controls/more.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { Flags } from '../../ui/checks/state.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { MemberCounts } from './member-counts.tsx';
import { text } from './strings.ts';

export function GroupsPage() {
  const { write } = useMay();
  const groups = useMore('listCheckGroups');
  return (
    <>
      <PageHead title={text.title}>{write && <ButtonLink to="/groups/new">{text.create}</ButtonLink>}</PageHead>
      {groups.error && groups.items === undefined ? (
        <LoadError error={groups.error} onRetry={() => void groups.refetch()} />
      ) : groups.items === undefined ? (
        <Skeleton lines={5} height={36} />
      ) : groups.items.length === 0 ? (
        <Empty title={text.emptyTitle}>
          <p>{write ? text.empty : text.readOnly}</p>
        </Empty>
      ) : (
        <>
          <p className="quiet">{text.total(groups.total)}</p>
          <Table
            label={text.title}
            rows={groups.items}
            keyOf={({ id }) => String(id)}
            columns={[
              {
                id: 'name',
                title: text.columns.name,
                isName: true,
                cell: ({ id, name, muted }) => (
                  <>
                    <Link to="/groups/$groupId" params={{ groupId: String(id) }} data-row>
                      {name}
                    </Link>{' '}
                    <Flags muted={muted} />
                  </>
                ),
              },
              { id: 'members', title: text.columns.state, cell: ({ id }) => <MemberCounts groupId={id} /> },
              { id: 'tags', title: text.columns.tags, cell: ({ tags }) => tags.join(', ') || '–' },
              {
                id: 'locations',
                title: text.columns.locations,
                cell: ({ locations }) => locations.join(', ') || text.ofChecks,
              },
            ]}
          />
          <More {...groups} shown={groups.items.length} />
        </>
      )}
    </>
  );
}
