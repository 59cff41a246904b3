// Adds an alert: an event of a check, whether or not it notifies a channel.
import type { Statement } from '../../engines/statements.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import type { Suppressor } from '#domain/alerts/suppression.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import type { Finding } from '#domain/results/result.ts';
import { newId } from '#lib/id.ts';
import { flag, idBytes, json } from '../../base/codec.ts';
import type { AlertsTable } from '../../base/tables/schema.ts';
import type { AlertedIncident } from './record-incident.ts';

/** Counts a channel that is notified of an alert later. */
export function channelCounted({ account_id, id }: Pick<AlertsTable, 'account_id' | 'id'>): Statement {
  return {
    text: 'UPDATE alerts SET channels = channels + 1 WHERE account_id = $1 AND id = $2',
    values: [account_id, id],
  };
}

/** What deliveries and alerts describe: a check and its result. */
export interface Occasion {
  readonly context: CheckContext;
  readonly resultId: string;
  readonly location: string;
  readonly finding: Finding;
  readonly incident: AlertedIncident | null;
  readonly isDeletion: boolean;
  readonly statusCode: () => number | null;
}

interface NewAlert {
  readonly alertType: AlertType;
  /** Whether it counts towards an alert storm. */
  readonly isCounted: boolean;
  readonly suppressor: Suppressor | null;
  /** Number of notified channels. */
  readonly channels: number;
}

/** @returns its ID */
export function insertAlert(
  rows: { insertAlert(row: AlertsTable): void },
  { alertType, isCounted, suppressor, channels }: NewAlert,
  { context: { check }, resultId, location, finding, statusCode, incident }: Occasion,
  now: number,
): string {
  const ofIncident = alertType === 'ALERT_SSL' ? null : incident;
  const id = ofIncident?.firstAlertId ?? newId();
  rows.insertAlert({
    account_id: idBytes(check.accountId),
    id: idBytes(id),
    check_id: idBytes(check.id),
    result_id: idBytes(resultId),
    alert_type: alertType,
    check_name: check.name,
    check_type: check.checkType,
    location,
    response_us: finding.responseTimeMs === null ? null : Math.round(finding.responseTimeMs * 1000),
    error: finding.message,
    status_code: statusCode(),
    started_at: Math.trunc(finding.startedAt),
    created_at: now,
    incident_id: ofIncident === null ? null : idBytes(ofIncident.id),
    suppressed_by: suppressor === null ? null : json(suppressor),
    is_counted: flag(isCounted),
    channels,
  });
  return id;
}
