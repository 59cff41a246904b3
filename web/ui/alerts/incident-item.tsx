// An incident or certificate alert in a list: type, duration, acknowledgement, notifications.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { StateBadge } from '../checks/state.tsx';
import { duration, sentence } from '../text/format.ts';
import { At, Lasting } from '../text/time.tsx';
import { Acknowledgement, type Incident } from './acknowledgement.tsx';
import css from './incident-item.module.css';
import { Notifications } from './notifications.tsx';

/** An alert in a list. */
export type Alert = AnswerOf<'listCheckAlerts'>[number];

/** A list of incidents and certificate alerts. */
export function IncidentList({ children }: { readonly children: ReactNode }) {
  return <ul className={css['incidents']}>{children}</ul>;
}

/** @param isNamed with the name of the check */
export function IncidentItem({
  incident,
  isNamed = false,
}: {
  readonly incident: Incident;
  readonly isNamed?: boolean;
}) {
  const { checkId, name, kind, startedAt, openedAt, endedAt, endedBy, checkResultId, error } = incident;
  const isOpen = endedAt === null;
  return (
    <li className={css['incident']} data-open={isOpen ? kind : undefined}>
      <div className={css['head']}>
        <StateBadge state={kind} />
        {isNamed && <CheckLink checkId={checkId} name={name} />}
        <span className={css['when']}>
          <At at={startedAt} />
          {' · '}
          {isOpen ? (
            <>
              Ongoing, <Lasting since={startedAt} />
            </>
          ) : (
            `${endedBy === 'deletion' ? 'Check deleted' : 'Resolved'} after ${duration(Date.parse(endedAt) - Date.parse(startedAt))}`
          )}
        </span>
      </div>
      <p className={css['message']}>
        {error !== null && sentence(error)}{' '}
        <Link to="/checks/$checkId/results/$resultId" params={{ checkId, resultId: checkResultId }}>
          View result
        </Link>
      </p>
      <Acknowledgement incident={incident} />
      <Notifications checkId={checkId} from={openedAt} to={endedAt} />
    </li>
  );
}

/** An alert without an incident: about a certificate, or suppressed. */
export function SingleAlert({ alert, isNamed = false }: { readonly alert: Alert; readonly isNamed?: boolean }) {
  const { checkId, name, error, alertType, suppressedBy, created_at: at } = alert;
  return (
    <li className={css['incident']}>
      <div className={css['head']}>
        {alertType === 'ALERT_SSL' ? (
          <strong>Certificate</strong>
        ) : (
          <StateBadge state={alertType === 'ALERT_DEGRADED' ? 'degraded' : 'failing'} />
        )}
        {isNamed && <CheckLink checkId={checkId} name={name} />}
        <span className={css['when']}>
          <At at={at} />
        </span>
      </div>
      {error !== null && <p className={css['message']}>{sentence(error)}</p>}
      {suppressedBy === null ? (
        <Notifications checkId={checkId} from={at} to={at} />
      ) : (
        <p className="quiet">
          Suppressed by <CheckLink checkId={suppressedBy.checkId} name={suppressedBy.name} />; no channel was notified.
        </p>
      )}
    </li>
  );
}

/** Whether an alert has no incident. */
export function isSingle({ alertType, suppressedBy }: Alert): boolean {
  return alertType === 'ALERT_SSL' || suppressedBy !== null;
}

function CheckLink({ checkId, name }: { readonly checkId: string; readonly name: string }) {
  return (
    <Link to="/checks/$checkId" params={{ checkId }} data-row className={css['name']}>
      {name}
    </Link>
  );
}
