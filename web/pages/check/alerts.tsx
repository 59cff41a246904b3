// Incidents and certificate alerts of the check, with acknowledgements and notifications.
import type { AnswerOf } from '#contract/operations.ts';
import { useAll } from '../../api/all.ts';
import { useMore } from '../../api/query.ts';
import { IncidentItem, IncidentList, isSingle, SingleAlert } from '../../ui/alerts/incident-item.tsx';
import { More } from '../../ui/controls/more.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { useNow } from '../../ui/text/now.ts';
import { rangeStart } from '../../ui/text/range.ts';
import { text } from './strings.ts';
import css from './check.module.css';

export function Alerts({ check }: { readonly check: AnswerOf<'getCheck'> }) {
  const from = rangeStart('30d', useNow());
  // Newest first: at most the first is open.
  const incidents = useMore('listIncidents', { query: { checkId: check.id, from } });
  const alerts = useAll('listAlertsOfCheck', { params: { checkId: check.id }, query: { from } });
  const singles = (alerts.data ?? []).filter(isSingle);
  const error = incidents.items === undefined ? incidents.error : alerts.data === undefined ? alerts.error : null;
  return (
    <Section title={text.alerts}>
      {check.notifiesNobody && <p className={css['note']}>{text.silentHelp}</p>}
      {error ? (
        <LoadError error={error} onRetry={() => [incidents, alerts].forEach(({ refetch }) => void refetch())} />
      ) : incidents.items === undefined || alerts.data === undefined ? (
        <Skeleton lines={2} height={40} />
      ) : incidents.items.length + singles.length === 0 ? (
        <Empty title={text.noAlerts}>
          <p>{text.noAlertsHelp}</p>
        </Empty>
      ) : (
        <>
          <IncidentList>
            {incidents.items.map((incident) => (
              <IncidentItem key={incident.id} incident={incident} />
            ))}
            {singles.map((alert) => (
              <SingleAlert key={alert.id} alert={alert} />
            ))}
          </IncidentList>
          <More {...incidents} shown={incidents.items.length} />
        </>
      )}
    </Section>
  );
}
