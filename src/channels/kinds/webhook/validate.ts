// What must be refused when a webhook channel is saved: names of headers that are Tocsin's own, and what is no address.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { ConfigIssue } from '../../templates/fields.ts';
import type { Pair } from './config.ts';

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

/** What neither the schema nor the templates say of a configuration. */
export function faultsOfWebhook(config: JsonObject): ConfigIssue[] {
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

function urlIssues(url: JsonValue | undefined): ConfigIssue[] {
  const path = 'config.url';
  if (typeof url !== 'string' || url.trim() === '')
    return [{ path, message: 'is required: the URL to send alerts to' }];
  const text = url.trim();
  const begins = /^https?:\/\//i.test(text);
  if (!begins && !/^\{\{\{?~?\s*[\w$.-]+\s*~?\}\}/.test(text)) {
    return [{ path, message: 'must begin with http://, https:// or a variable such as {{NAME}}' }];
  }
  // Tags stand for values: a digit fits wherever one can stand in a URL, the port included.
  const isWritten = !begins || text.includes('{{#') || URL.canParse(text.replace(anyTag, '1'));
  return isWritten ? [] : [{ path, message: 'is not a valid URL' }];
}
