// Where checks stand, and the alerts that came of it, over HTTP (reference §4.7).
import type { AlertSpan, CheckAlertActions, StoredAlert } from '#actions/check-alerts.ts';
import type { CheckStatusActions, ShownStatus } from '#actions/check-statuses.ts';
import type { CheckAlertBody, CheckStatusBody } from '#contract/check-status.ts';
import { pageOf, type Route, route, sliceOf } from './route.ts';
import { isoText, isoTextOrNull } from './wire.ts';

/** The routes of statuses and alerts. */
export function checkStatusRoutes(statuses: CheckStatusActions, alerts: CheckAlertActions): Route[] {
  return [
    route('listCheckStatuses', async ({ caller }) =>
      (await statuses.list(caller)).map((status) => statusToWire(status)),
    ),
    route('getCheckStatus', async ({ caller, params }) => statusToWire(await statuses.find(caller, params.checkId))),
    route('listCheckAlerts', async ({ caller, query }) =>
      pageOf(await alerts.list(caller, null, spanOf(query), sliceOf(query)), alertToWire),
    ),
    route('listAlertsOfCheck', async ({ caller, params, query }) =>
      pageOf(await alerts.list(caller, params.checkId, spanOf(query), sliceOf(query)), alertToWire),
    ),
  ];
}

function spanOf({ from, to }: AlertSpan): AlertSpan {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

function statusToWire(status: ShownStatus): CheckStatusBody {
  return {
    name: status.name,
    checkId: status.checkId,
    hasFailures: status.status === 'failing',
    hasErrors: status.lastOutcome === 'unknown' || status.lastOutcome === 'missed',
    isDegraded: status.status === 'degraded',
    longestRun: wholeOrNull(status.longestMs),
    shortestRun: wholeOrNull(status.shortestMs),
    lastRunLocation: status.lastLocation,
    lastCheckRunId: status.lastResultId,
    sslDaysRemaining: status.sslDaysRemaining,
    created_at: isoText(status.createdAt),
    updated_at: isoTextOrNull(status.updatedAt),
  };
}

function alertToWire(alert: StoredAlert): CheckAlertBody {
  return {
    id: alert.id,
    name: alert.checkName,
    checkId: alert.checkId,
    alertType: alert.alertType,
    // Written by a check of one of the types there are.
    checkType: alert.checkType as CheckAlertBody['checkType'],
    runLocation: alert.location,
    responseTime: wholeOrNull(alert.responseTimeMs),
    error: alert.error,
    statusCode: alert.statusCode === null ? null : String(alert.statusCode),
    created_at: isoText(alert.createdAt),
    startedAt: isoText(alert.startedAt),
  };
}

function wholeOrNull(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}
