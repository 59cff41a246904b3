// The Opsgenie channel: creates alerts through the Alert API, and closes them by their alias.
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
import { opsgenieSchema } from './schema.ts';

export const opsgenieKind = {
  ...opsgenieSchema,
  templatesOf: () => [],
  isSuperseded: true,
  render: renderOpsgenie,
  loadSender: sendsByHttp(({ request, secrets }) => {
    const key = textIn(secrets, 'apiKey');
    const headers = (shown: string) => [...request.headers, ['authorization', `GenieKey ${shown}`]] as const;
    return { request: { ...request, headers: headers(key) }, loggedHeaders: headers(mask), secrets: [key] };
  }, 'opsgenieUrl'),
} as const satisfies ChannelKind;

const regions: Readonly<Record<string, string>> = { EU: 'https://api.eu.opsgenie.com' };

/** Renders a request. The sender adds the authorization. */
function renderOpsgenie(
  config: JsonObject,
  variables: TemplateVariables,
  { userAgent, timeZone }: RenderFacts,
  { opsgenieUrl }: Gateways,
): Message {
  const summary = summarize(variables, timeZone);
  const base = opsgenieUrl ?? regions[textIn(config, 'region')] ?? 'https://api.opsgenie.com';
  if (summary.tone === 'recovered') {
    const url = `${base}/v2/alerts/${encodeURIComponent(summary.key)}/close?identifierType=alias`;
    const times = summary.rows.filter(([name]) => name === 'Began' || name === 'Duration');
    const note = [summary.title, ...times.map(([name, value]) => `${name}: ${value}`)].join('. ');
    return jsonRequest(url, { source: 'Tocsin', note }, userAgent);
  }
  return jsonRequest(`${base}/v2/alerts`, alertOf(summary, textIn(config, 'priority')), userAgent);
}

function alertOf(summary: AlertSummary, priority: string): JsonObject {
  const { title, checkName, error, rows, tags, resultLink, links, notes, key } = summary;
  const details: [string, string][] = rows.map(([name, value]) => [name, value]);
  for (const { name, href } of links) details.push([name, href]);
  const description = [error, notes, resultLink].filter((part) => part !== null).join('\n\n');
  return {
    message: shortened(title, 130),
    alias: key,
    ...(description !== '' && { description }),
    entity: checkName,
    source: 'Tocsin',
    priority,
    // Opsgenie takes 20 tags of 50 characters.
    tags: tags.slice(0, 20).map((tag) => shortened(tag, 50)),
    details: Object.fromEntries(details),
  };
}
