/** Says everything that must be refused when a webhook channel is saved. */
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { sizeIssues } from './channel-size.ts';
import { compileTemplate } from '../../templates/compile.ts';
import type { CompiledTemplate } from '../../templates/compile.ts';
import { methods, readConfig, templatesOf } from './config.ts';
import { TemplateError } from '../../templates/template-error.ts';

/** One thing that is wrong with a configuration. */
export interface ConfigIssue {
  /** Such as `config.headers[0].key`. */
  readonly path: string;
  /** What is wrong and what would be right. */
  readonly message: string;
  /** From 1; only for templates. */
  readonly line?: number;
  /** From 1; only for templates. */
  readonly column?: number;
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

/**
 * What is wrong with a configuration; empty when it can be saved (spec §5 rule 2; decisions: Webhook templates).
 *
 * @param secretNames keys of the account's and groups' secret variables: a template that names one is refused
 */
export function validateWebhook(config: JsonObject, secretNames: ReadonlySet<string>): ConfigIssue[] {
  const tooMuch = sizeIssues(config);
  const fields = templatesOf(readConfig(config));
  // From the one that is too much on, nothing is compiled.
  const judged =
    tooMuch.length === 0
      ? fields
      : fields.slice(
          0,
          fields.findIndex(({ path }) => path === tooMuch[0]?.path),
        );
  return [...shapeIssues(config), ...fieldIssues(judged, secretNames), ...tooMuch, ...urlIssues(config['url'])];
}

/** What is wrong with a stored configuration, so that it cannot be rendered. It is compiled by that. */
export function faultsOfWebhook(config: JsonObject, secretNames: ReadonlySet<string>): ConfigIssue[] {
  const fields = templatesOf(readConfig(config));
  return [...shapeIssues(config), ...fieldIssues(fields, secretNames), ...urlIssues(config['url'])];
}

function fieldIssues(fields: ReturnType<typeof templatesOf>, secretNames: ReadonlySet<string>): ConfigIssue[] {
  return fields.flatMap(({ path, source }) => templateIssues(path, source, secretNames));
}

/** The compiled template, or what is wrong with it. */
export function compileField(path: string, source: string): CompiledTemplate | ConfigIssue {
  try {
    return compileTemplate(source);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { path, message: error.message, line: error.line, column: error.column };
  }
}

function templateIssues(path: string, source: string, secretNames: ReadonlySet<string>): ConfigIssue[] {
  const compiled = compileField(path, source);
  if (!('references' in compiled)) return [compiled];
  return compiled.references
    .filter(({ name }) => secretNames.has(name))
    .map(({ name, place }) => ({ path, message: secretMessage(name), line: place.line, column: place.column }));
}

/** Why a secret may not be named. */
export function secretMessage(name: string): string {
  return `${name} is a secret, and alert templates cannot use secrets. Use a variable that is not secret; if it is locked, logs hide its value`;
}

function shapeIssues(config: JsonObject): ConfigIssue[] {
  const { method, template } = config as Record<string, JsonValue | undefined>;
  const issues: ConfigIssue[] = [];
  if (method !== undefined && method !== null) {
    const upper = typeof method === 'string' ? method.toUpperCase() : '';
    if (!methods.some((known) => known === upper)) {
      issues.push({ path: 'config.method', message: `must be one of ${methods.join(', ')}` });
    }
  }
  if (template !== undefined && template !== null && typeof template !== 'string') {
    issues.push({ path: 'config.template', message: 'must be a string' });
  }
  return [...issues, ...pairIssues(config, 'headers'), ...pairIssues(config, 'queryParameters')];
}

function pairIssues(config: JsonObject, field: 'headers' | 'queryParameters'): ConfigIssue[] {
  const list = config[field];
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list))
    return [{ path: `config.${field}`, message: 'must be an array of {key, value, locked} objects' }];
  return list.flatMap((item: JsonValue, index) => {
    const path = `config.${field}[${index}]`;
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      return [{ path, message: 'must be a {key, value, locked} object' }];
    }
    const { key, value } = item as Record<string, JsonValue | undefined>;
    const issues: ConfigIssue[] = [];
    const fault = field === 'headers' ? headerFault(key) : keyFault(key);
    if (fault !== null) issues.push({ path: `${path}.key`, message: fault });
    if (value !== undefined && typeof value !== 'string')
      issues.push({ path: `${path}.value`, message: 'must be a string' });
    return issues;
  });
}

function keyFault(key: unknown): string | null {
  return typeof key === 'string' && key !== '' ? null : 'must be a non-empty string';
}

function headerFault(key: unknown): string | null {
  if (typeof key !== 'string' || !headerName.test(key)) {
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
