// Where checks stand, and the alerts that came of it, over HTTP (reference §4.7).
import type { AlertSpan, CheckAlertActions, StoredAlert } from '#actions/check-alerts.ts';
import type { CheckStatusActions, ShownStatus } from '#actions/check-statuses.ts';
import type { CheckAlertBody, CheckStatusBody } from '#contract/check-status.ts';
import { JsonText, pageOf, type Route, route, sliceOf } from './route.ts';
import { isoText, isoTextOrNull } from './wire.ts';

/** The routes of statuses and alerts. */
export function checkStatusRoutes(statuses: CheckStatusActions, alerts: CheckAlertActions): Route[] {
  const written = new WeakMap<ShownStatus, string>();
  return [
    route('listCheckStatuses', async ({ caller }) => writeStatuses(await statuses.list(caller), written)),
    route('getCheckStatus', async ({ caller, params }) => statusToWire(await statuses.find(caller, params.checkId))),
    route('listCheckAlerts', async ({ caller, query }) =>
      pageOf(await alerts.list(caller, null, spanOf(query), sliceOf(query)), alertToWire),
    ),
    route('listAlertsOfCheck', async ({ caller, params, query }) =>
      pageOf(await alerts.list(caller, params.checkId, spanOf(query), sliceOf(query)), alertToWire),
    ),
  ];
}

/** Texts written at once: bounds how long a list of thousands holds the loop. */
const textsAtOnce = 1000;

/** The list as JSON, of texts that were written before where the status is the same. */
async function writeStatuses(
  statuses: readonly ShownStatus[],
  written: WeakMap<ShownStatus, string>,
): Promise<JsonText> {
  const texts: string[] = [];
  let made = 0;
  for (const status of statuses) {
    let text = written.get(status);
    if (text === undefined) {
      text = JSON.stringify(statusToWire(status));
      written.set(status, text);
      if (++made % textsAtOnce === 0) await new Promise<void>((resolve) => void setImmediate(resolve));
    }
    texts.push(text);
  }
  return new JsonText(`[${texts.join(',')}]`);
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
