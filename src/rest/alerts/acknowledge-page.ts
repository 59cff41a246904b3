// The page of an ACK_LINK: an incident and one button. Link scanners send GET and HEAD, which change nothing.
import type { ShownIncident } from '#actions/alerts/acknowledge.ts';
import { zonedText } from '#domain/accounts/time-zone.ts';
import type { Acknowledger } from '#domain/alerts/incident.ts';
import { type Html, html } from '#lib/markup/html.ts';
import { factTable, messagePage, page, pageHeaders } from '../html.ts';

/** Headers of the page: it may send its form to its own address. */
export const acknowledgePageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': String(pageHeaders['content-security-policy']).replace(
    "form-action 'none'",
    "form-action 'self'",
  ),
};

const states = { failing: ['failed', 'Failing'], degraded: ['degraded', 'Degraded'] } as const;

/** The page of an incident: open, acknowledged or resolved. */
export function acknowledgePage(incident: ShownIncident): string {
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
export const noIncidentPage = messagePage(
  'Incident not found',
  'The link is incomplete or has expired, or the incident is no longer stored.',
);

/** The page of a link in a test message. */
export const testAcknowledgePage = messagePage(
  'This was a test message',
  'The link works. The link of a real alert acknowledges its incident here.',
);

/** The page of too many requests. */
export const tooManyPage = messagePage('Too many requests', 'Wait a minute and open the link again.');
