// Incidents and certificate alerts of all checks, with acknowledgements and notifications.
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAll } from '../../api/all.ts';
import { useMore } from '../../api/query.ts';
import { IncidentItem, IncidentList, isSingle, SingleAlert } from '../../ui/alerts/incident-item.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { More } from '../../ui/controls/more.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { useNow } from '../../ui/text/now.ts';
import { type Range, ranges, rangeStart } from '../../ui/text/range.ts';
import type { AlertsSearch } from './search.ts';
import { text } from './strings.ts';

export function AlertsPage() {
  const { range = '24h', open: isOpenOnly = false } = useSearch({ from: '/shell/alerts' });
  const from = rangeStart(range, useNow());
  const open = useMore('listIncidents', { query: { state: 'open' } });
  const ended = useMore('listIncidents', { query: { state: 'ended', from } });
  const alerts = useAll('listCheckAlerts', { query: { from } });
  const reads = [open, ended, alerts];
  const failed = reads.find(({ error, data }) => error !== null && data === undefined);
  return (
    <>
      <PageHead title={text.title}>
        <Filters range={range} isOpenOnly={isOpenOnly} />
      </PageHead>
      {failed ? (
        <LoadError error={failed.error} onRetry={() => reads.forEach(({ refetch }) => void refetch())} />
      ) : open.items === undefined || ended.items === undefined || alerts.data === undefined ? (
        <Skeleton lines={6} height={56} />
      ) : (
        <Found
          open={open}
          ended={isOpenOnly ? null : ended}
          alerts={alerts.data}
          none={isOpenOnly ? text.noneOpen : text.empty(ranges[range])}
        />
      )}
    </>
  );
}

type Incidents = ReturnType<typeof useMore<'listIncidents'>>;

function Found({
  open,
  ended,
  alerts,
  none,
}: {
  readonly open: Incidents;
  /** null = not shown. */
  readonly ended: Incidents | null;
  readonly alerts: readonly Parameters<typeof SingleAlert>[0]['alert'][];
  readonly none: ReactNode;
}) {
  const singles = ended === null ? [] : alerts.filter(isSingle);
  const [certificates, suppressed] = [
    singles.filter(({ suppressedBy }) => suppressedBy === null),
    singles.filter(({ suppressedBy }) => suppressedBy !== null),
  ];
  const lists = [
    { title: text.openIncidents, incidents: open },
    ...(ended === null ? [] : [{ title: text.resolvedIncidents, incidents: ended }]),
  ].filter(({ incidents: { items = [] } }) => items.length > 0);
  if (lists.length + singles.length === 0) {
    return (
      <Empty title={text.emptyTitle}>
        <p>{none}</p>
      </Empty>
    );
  }
  return (
    <>
      {lists.map(({ title, incidents: { items = [], ...rest } }) => (
        <Section key={title} title={title}>
          <IncidentList>
            {items.map((incident) => (
              <IncidentItem key={incident.id} incident={incident} isNamed />
            ))}
          </IncidentList>
          <More {...rest} shown={items.length} />
        </Section>
      ))}
      {[
        { title: text.suppressed, found: suppressed },
        { title: text.certificates, found: certificates },
      ].map(
        ({ title, found }) =>
          found.length > 0 && (
            <Section key={title} title={title}>
              <IncidentList>
                {found.map((alert) => (
                  <SingleAlert key={alert.id} alert={alert} isNamed />
                ))}
              </IncidentList>
            </Section>
          ),
      )}
    </>
  );
}

function Filters({ range, isOpenOnly }: { readonly range: Range; readonly isOpenOnly: boolean }) {
  const navigate = useNavigate({ from: '/alerts' });
  const set = (search: AlertsSearch): void => void navigate({ search });
  return (
    <>
      <Choice
        label={text.show}
        isLabelHidden
        value={isOpenOnly ? 'open' : 'all'}
        options={[
          ['all', text.all],
          ['open', text.open],
        ]}
        onChange={(value) => set({ range, ...(value === 'open' && { open: true }) })}
      />
      <Choice
        label={text.range}
        isLabelHidden
        value={range}
        options={Object.entries(ranges) as [Range, string][]}
        onChange={(value) => set({ range: value, ...(isOpenOnly && { open: true }) })}
      />
    </>
  );
}
