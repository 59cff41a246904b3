// Rules for saving a webhook channel: no reserved header names, and a valid URL.
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

/** Checks what neither the schema nor the templates can. */
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
