// Renders changes of a status page as one JSON document: templates are about alerts.
import type { Message } from '#domain/deliveries/delivery.ts';
import type { JsonObject } from '#domain/json.ts';
import { newsBody, type NewsMessage } from '../../parts/news-message.ts';
import type { RenderFacts } from '../../templates/context.ts';
import { hasBody, readConfig } from './config.ts';
import { renderWebhook } from './render.ts';

/** URL, query and headers are those of the channel. @throws TemplateError that names the field */
export function renderWebhookNews(config: JsonObject, message: NewsMessage, facts: RenderFacts): Message {
  const request = renderWebhook({ ...config, template: '{}' }, message.variables, facts);
  return { ...request, body: JSON.stringify(newsBody(message)) };
}

/** Why the receiver would not understand the document. */
export function refusesNews(config: JsonObject): string | null {
  const { webhookType } = config;
  if (typeof webhookType === 'string' && webhookType !== '')
    return `is a webhook of the type ${webhookType}, whose receiver understands alerts only`;
  const { method } = readConfig(config);
  return hasBody(method) ? null : `sends ${method} requests, which have no body`;
}
