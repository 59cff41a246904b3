// The PagerDuty channel: opens and resolves incidents through the Events API v2.
import type { Message } from '#domain/deliveries/delivery.ts';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import { mask } from '#domain/deliveries/shown-url.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { JsonObject } from '#domain/json.ts';
import { sendsByHttp } from '../../http/sends-by-http.ts';
import type { ChannelKind } from '../../kind.ts';
import { type AlertSummary, shortened, summarize } from '../../parts/alert-summary.ts';
import { textIn, jsonRequest } from '../../parts/fields.ts';
import type { RenderFacts } from '../../templates/context.ts';
import { pagerDutySchema } from './schema.ts';

export const pagerDutyKind = {
  ...pagerDutySchema,
  templatesOf: () => [],
  isSuperseded: true,
  render: renderPagerDuty,
  loadSender: sendsByHttp(({ request, secrets }) => {
    const key = textIn(secrets, 'serviceKey');
    const body = JSON.stringify({ ...(JSON.parse(request.body) as JsonObject), routing_key: key });
    return { request: { ...request, body }, secrets: [key] };
  }, 'pagerDutyUrl'),
} as const satisfies ChannelKind;

/** Renders an event. Its routing key is masked; the sender has the real one. */
function renderPagerDuty(
  _config: JsonObject,
  variables: TemplateVariables,
  { userAgent, timeZone }: RenderFacts,
  { pagerDutyUrl }: Gateways,
): Message {
  const summary = summarize(variables, timeZone);
  const url = `${pagerDutyUrl ?? 'https://events.pagerduty.com'}/v2/enqueue`;
  const action = summary.tone === 'recovered' ? 'resolve' : 'trigger';
  const event = { routing_key: mask, event_action: action, dedup_key: summary.key };
  return jsonRequest(url, action === 'resolve' ? event : { ...event, ...alertOf(summary, variables) }, userAgent);
}

function alertOf(summary: AlertSummary, variables: TemplateVariables): JsonObject {
  const { tone, title, checkName, error, rows, startedAt, location, group, resultLink, notes } = summary;
  const links = summary.links.map(({ href, name }) => ({ href, text: name }));
  const details: (readonly [string, string])[] = [
    ...(error === null ? [] : [['Error', error] as const]),
    ...rows,
    ...(notes === null ? [] : [['Notes', notes] as const]),
  ];
  return {
    client: 'Tocsin',
    ...(resultLink !== null && { client_url: resultLink }),
    ...(links.length > 0 && { links }),
    payload: {
      summary: shortened(title, 1024),
      source: checkName,
      severity: tone === 'failing' ? 'critical' : 'warning',
      ...(startedAt !== null && { timestamp: startedAt }),
      ...(location !== null && { component: location }),
      ...(group !== null && { group }),
      class: String(variables['ALERT_TYPE'] ?? ''),
      custom_details: Object.fromEntries(details),
    },
  };
}
