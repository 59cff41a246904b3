// Incidents of checks over HTTP.
import type { AcknowledgeActions, ShownIncident, IncidentActions } from '#actions/alerts/incidents.ts';
import { Refusal } from '#actions/refusal.ts';
import { pageHeaders, factTable, messagePage, page } from '../html.ts';
import { countedAddress, createRateLimit } from '../rate-limit.ts';
import type { IncidentBody } from '#contract/alerts/incident.ts';
import type { Incident, Acknowledger } from '#domain/alerts/incident.ts';
import { alertToWire } from './check-alert.ts';
import { Answer, pageOf, type Route, route, sliceOf } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';
import { zonedText } from '#domain/accounts/time-zone.ts';
import { type Html, html } from '#lib/markup/html.ts';

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

/** Headers of the page: it may send its form to its own address. */
const acknowledgePageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': String(pageHeaders['content-security-policy']).replace(
    "form-action 'none'",
    "form-action 'self'",
  ),
};

const states = { failing: ['failed', 'Failing'], degraded: ['degraded', 'Degraded'] } as const;

/** The page of an incident: open, acknowledged or resolved. */
function acknowledgePage(incident: ShownIncident): string {
  const isOver = incident.endedAt !== null;
  const [look, name] = isOver ? (['passed', 'Resolved'] as const) : states[incident.kind];
  return page(
    `${name}: ${incident.checkName}`,
    html`<main class="result">
      <p><strong class="verdict ${look}">${name}</strong></p>
      <h1>${incident.checkName}</h1>
      ${incident.error !== null && html`<p class="why">${incident.error}</p>`} ${factTable(facts(incident))}
      ${isOver ? html`<p>This incident is already resolved.</p>` : incident.acknowledgedAt === null && form}
      <p><a href="/checks/${incident.checkId}">Open the check in Tocsin</a></p>
    </main>`,
  );
}

const form: Html = html`<form method="post"><button>Acknowledge</button></form>
  <p class="soft">No reminders are sent until the state changes. The recovery is always sent.</p>`;

function facts({ timeZone, ...incident }: ShownIncident): [string, string][] {
  const { startedAt, endedAt, endedBy, acknowledgedAt, acknowledgedBy } = incident;
  const time = (at: number): string => zonedText(at, timeZone);
  return [
    ['Since', time(startedAt)],
    ...(endedAt === null
      ? []
      : [[endedBy === 'deletion' ? 'Check deleted' : 'Recovered', time(endedAt)] as [string, string]]),
    ...(acknowledgedAt === null
      ? []
      : [['Acknowledged', `${time(acknowledgedAt)} ${byWhom[acknowledgedBy?.type ?? 'link']}`] as [string, string]]),
  ];
}

/** Without names, because the page needs no key. */
const byWhom: Readonly<Record<Acknowledger['type'], string>> = {
  user: 'by a person of this account',
  'api-key': 'with an API key of this account',
  link: 'by the link of an alert',
};

/** The page of an invalid or expired link, or of an incident that is no longer stored. */
const noIncidentPage = messagePage(
  'Incident not found',
  'The link is incomplete or has expired, or the incident is no longer stored.',
);

/** The page of a link in a test message. */
const testAcknowledgePage = messagePage(
  'This was a test message',
  'The link works. The link of a real alert acknowledges its incident here.',
);

/** The page of too many requests. */
const tooManyPage = messagePage('Too many requests', 'Wait a minute and open the link again.');
