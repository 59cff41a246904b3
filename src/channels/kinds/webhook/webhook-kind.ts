// The webhook channel: sends alerts by HTTP, rendered by the channel's templates (spec §6).
import { sendsByHttp } from '../../http/sends-by-http.ts';
import type { ChannelKind } from '../../kind.ts';
import { templatesOf, hasBody, readConfig, type Pair } from './config.ts';
import { isReadByPeople, presets } from './presets.ts';
import { warnAboutWebhook } from './preview.ts';
import { renderWebhook } from './render.ts';
import { webhookSchema } from './schema.ts';
import { secretRules } from './sign.ts';
import { prepareWebhook } from './send.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { newsBody, type NewsMessage } from '../../parts/news-message.ts';
import type { RenderFacts } from '../../templates/context.ts';
import type { ConfigIssue } from '../../templates/fields.ts';

export const webhookKind = {
  ...webhookSchema,
  secretRules,
  templatesOf,
  faults: faultsOfWebhook,
  warnings: warnAboutWebhook,
  presets,
  isGrouped: ({ webhookType }) => isReadByPeople(webhookType),
  render: renderWebhook,
  renderNews: renderWebhookNews,
  refusesNews,
  loadSender: sendsByHttp(prepareWebhook),
} as const satisfies ChannelKind;

/** URL, query and headers are those of the channel. @throws TemplateError that names the field */
function renderWebhookNews(config: JsonObject, message: NewsMessage, facts: RenderFacts): Message {
  const request = renderWebhook({ ...config, template: '{}' }, message.variables, facts);
  return { ...request, body: JSON.stringify(newsBody(message)) };
}

/** Why the receiver would not understand the document. */
function refusesNews(config: JsonObject): string | null {
  const { webhookType } = config;
  if (typeof webhookType === 'string' && webhookType !== '')
    return `is a webhook of the type ${webhookType}, whose receiver understands alerts only`;
  const { method } = readConfig(config);
  return hasBody(method) ? null : `sends ${method} requests, which have no body`;
}

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const httpHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Checks what neither the schema nor the templates can. */
function faultsOfWebhook(config: JsonObject): ConfigIssue[] {
  const headers = Array.isArray(config['headers']) ? (config['headers'] as readonly Pair[]) : [];
  const names = headers.flatMap(({ key }, index) => {
    const message = headerFault(key);
    return message === null ? [] : [{ path: `config.headers[${index}].key`, message }];
  });
  return [...names, ...urlIssues(config['url'])];
}

function headerFault(key: string): string | null {
  if (!headerName.test(key)) {
    return "must be a valid header name: letters, digits and !#$%&'*+-.^_`|~ only";
  }
  const name = key.toLowerCase();
  if (name.startsWith('x-service-')) return `${key} cannot be set: x-service-* headers are reserved`;
  return httpHeaders.has(name) ? `${key} cannot be set: Tocsin controls this header` : null;
}

const anyTag = /\{\{\{?[^{}]*\}\}\}?/g;
const portTag = new RegExp(`:${anyTag.source}`, 'g');

function urlIssues(url: JsonValue | undefined): ConfigIssue[] {
  const path = 'config.url';
  if (typeof url !== 'string' || url.trim() === '')
    return [{ path, message: 'is required: the URL to send alerts to' }];
  const text = url.trim();
  const begins = /^https?:\/\//i.test(text);
  if (!begins && !/^\{\{\{?~?\s*[\w$.-]+\s*~?\}\}/.test(text)) {
    return [{ path, message: 'must begin with http://, https:// or a variable such as {{NAME}}' }];
  }
  // Tags may appear anywhere in a URL: a port needs a digit, the last part of a host name a letter.
  const filled = [text.replace(anyTag, '1'), text.replace(portTag, ':1').replace(anyTag, 'x')];
  const isWritten = !begins || text.includes('{{#') || filled.some((url) => URL.canParse(url));
  return isWritten ? [] : [{ path, message: 'is not a valid URL' }];
}
