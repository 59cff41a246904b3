// An alert on the wire.
import type { StoredAlert } from '#actions/alerts/check-alerts.ts';
import type { CheckAlertBody } from '#contract/checks/check-status.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

/** The check that suppresses an alert. */
export function suppressorToWire(suppressor: StoredAlert['suppressedBy']): CheckAlertBody['suppressedBy'] {
  if (suppressor === null) return null;
  const { checkId, name, since, until } = suppressor;
  return { checkId, name, since: isoText(since), until: isoTextOrNull(until) };
}

export function alertToWire(alert: StoredAlert): CheckAlertBody {
  return {
    id: alert.id,
    name: alert.checkName,
    checkId: alert.checkId,
    alertType: alert.alertType,
    // Stored by a check of an existing type.
    checkType: alert.checkType,
    runLocation: alert.location,
    responseTime: alert.responseTimeMs === null ? null : Math.round(alert.responseTimeMs),
    error: alert.error,
    statusCode: alert.statusCode === null ? null : String(alert.statusCode),
    created_at: isoText(alert.createdAt),
    startedAt: isoText(alert.startedAt),
    incidentId: alert.incidentId,
    acknowledgedAt: isoTextOrNull(alert.acknowledgedAt),
    acknowledgedBy: alert.acknowledgedBy,
    suppressedBy: suppressorToWire(alert.suppressedBy),
  };
}
