// Incidents of checks over HTTP.
import type { AcknowledgeActions, ShownIncident } from '#actions/alerts/acknowledge.ts';
import { Refusal } from '#actions/refusal.ts';
import {
  acknowledgePage,
  acknowledgePageHeaders,
  noIncidentPage,
  testAcknowledgePage,
  tooManyPage,
} from './acknowledge-page.ts';
import { pageHeaders } from '../html.ts';
import { countedAddress, createRateLimit } from '../rate-limit.ts';
import type { IncidentActions } from '#actions/alerts/incidents.ts';
import type { IncidentBody } from '#contract/alerts/incident.ts';
import type { Incident } from '#domain/alerts/incident.ts';
import { alertToWire } from './check-alert.ts';
import { Answer, pageOf, type Route, route, sliceOf } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

/** Requests to pages of links per minute and address. */
const pagesPerMinute = 60;

/** @param now epoch ms */
export function incidentRoutes(
  incidents: IncidentActions,
  acknowledge: AcknowledgeActions,
  now: () => number,
): Route[] {
  const rateLimit = createRateLimit(pagesPerMinute, 60_000, now);
  const show = async (address: string, read: () => Promise<ShownIncident | null>): Promise<Answer> => {
    const allowance = rateLimit.take(countedAddress(address));
    if (allowance?.isAllowed === false) {
      const headers = { ...pageHeaders, 'retry-after': String(allowance.retryAfterSeconds) };
      return new Answer(429, tooManyPage, headers);
    }
    try {
      const incident = await read();
      if (incident === null) return new Answer(200, testAcknowledgePage, pageHeaders);
      return new Answer(200, acknowledgePage(incident), acknowledgePageHeaders);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'not-found')) throw error;
      return new Answer(404, noIncidentPage, pageHeaders);
    }
  };
  return [
    route('listIncidents', async ({ caller, query }) =>
      pageOf(await incidents.list(caller, query, sliceOf(query)), incidentToWire),
    ),
    route('getIncident', async ({ caller, params }) => {
      const { incident, alerts } = await incidents.find(caller, params.id);
      return { ...incidentToWire(incident), alerts: alerts.map(alertToWire) };
    }),
    route('acknowledgeAlert', async ({ caller, params }) =>
      incidentToWire(await acknowledge.acknowledge(caller, params.alertId)),
    ),
    route('unacknowledgeAlert', ({ caller, params }) => acknowledge.unacknowledge(caller, params.alertId)),
    route('showIncident', ({ params, address }) => show(address, () => acknowledge.open(params.link))),
    route('acknowledgeLinkedIncident', ({ params, address }) =>
      show(address, () => acknowledge.acknowledgeLinked(params.link)),
    ),
  ];
}

function incidentToWire(incident: Incident): IncidentBody {
  return {
    id: incident.id,
    checkId: incident.checkId,
    name: incident.checkName,
    // Stored by a check of an existing type.
    checkType: incident.checkType,
    kind: incident.kind,
    startedAt: isoText(incident.startedAt),
    openedAt: isoText(incident.openedAt),
    endedAt: isoTextOrNull(incident.endedAt),
    endedBy: incident.endedBy,
    acknowledgedAt: isoTextOrNull(incident.acknowledgedAt),
    acknowledgedBy: incident.acknowledgedBy,
    firstAlertId: incident.firstAlertId,
    checkResultId: incident.resultId,
    error: incident.error,
  };
}
