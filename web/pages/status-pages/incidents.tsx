// The incidents of status pages, drafts first.
import { Link } from '@tanstack/react-router';
import { useEveryEntry, useMoreEntries } from '../../api/entries.ts';
import { useMay } from '../../api/me.ts';
import { ButtonLink } from '../../ui/controls/button.tsx';
import { More } from '../../ui/controls/more.tsx';
import { Empty } from '../../ui/layout/feedback.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { type Column, Table } from '../../ui/layout/table.tsx';
import { At } from '../../ui/text/time.tsx';
import { type Incident, Publish } from '../../ui/status-incidents/publish.tsx';
import { statusText } from '../../ui/status-incidents/strings.ts';
import { Loaded, Places } from './frame.tsx';
import { choiceText, text } from './strings.ts';

export function StatusIncidentsPage() {
  const { write } = useMay();
  const drafts = useEveryEntry('listStatusIncidents', { isDraft: true });
  const incidents = useMoreEntries('listStatusIncidents', { isDraft: false });
  const waiting = drafts.data ?? [];
  return (
    <>
      <PageHead title={text.incidents}>
        {write && <ButtonLink to="/status-pages/incidents/new">{text.newIncident}</ButtonLink>}
      </PageHead>
      <Places />
      <p className="quiet">{text.incidentsHelp}</p>
      {waiting.length > 0 && (
        <Section title={text.drafts}>
          <p className="quiet">{text.draftsHelp}</p>
          <Table label={text.drafts} rows={waiting} keyOf={({ id }) => id} columns={draftColumns(write)} />
        </Section>
      )}
      <Section title={text.published}>
        <Loaded read={{ ...incidents, data: incidents.items }}>
          {(items) =>
            items.length === 0 ? (
              <Empty title={text.incidentsEmpty} />
            ) : (
              <>
                <Table
                  label={text.incidents}
                  rows={items}
                  keyOf={({ id }) => id}
                  columns={[...columns, resolvedColumn]}
                />
                <More {...incidents} shown={items.length} />
              </>
            )
          }
        </Loaded>
      </Section>
    </>
  );
}

const columns: readonly Column<Incident>[] = [
  {
    id: 'name',
    title: text.columns.name,
    isName: true,
    cell: ({ id, name }) => (
      <Link to="/status-pages/incidents/$incidentId" params={{ incidentId: id }} data-row>
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    title: text.columns.state,
    cell: ({ lastUpdateStatus }) => statusText(lastUpdateStatus),
  },
  { id: 'severity', title: text.columns.severity, cell: ({ severity }) => choiceText(text.severities, severity) },
  {
    id: 'services',
    title: text.columns.services,
    cell: ({ services }) => services.map(({ name }) => name).join(', ') || text.none,
  },
  { id: 'began', title: text.columns.began, cell: ({ startedAt }) => <At at={startedAt} /> },
];

const resolvedColumn: Column<Incident> = {
  id: 'resolved',
  title: text.columns.resolved,
  cell: ({ resolvedAt }) => (resolvedAt === null ? text.open : <At at={resolvedAt} />),
};

function draftColumns(write: boolean): readonly Column<Incident>[] {
  if (!write) return columns;
  return [...columns, { id: 'actions', title: text.actions, cell: (incident) => <Publish incident={incident} /> }];
}
