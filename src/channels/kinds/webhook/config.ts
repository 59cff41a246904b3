// The stored configuration of a webhook channel with defaults filled in (spec §2.4).
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { TemplateField } from '../../templates/fields.ts';

/** A header or query parameter. The value is a template; the key is not. */
export type Pair = {
  readonly key: string;
  readonly value: string;
  /** Whether to redact the value in logs. */
  readonly locked: boolean;
};

export interface WebhookConfig {
  /** A template. */
  readonly url: string;
  /** Upper case. */
  readonly method: string;
  /** Body template; null sends all variables as JSON (decisions: No body template). */
  readonly template: string | null;
  readonly headers: readonly Pair[];
  readonly queryParameters: readonly Pair[];
}

/** Whether requests of this method (upper case) carry a body. */
export function hasBody(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Reads a configuration. Missing or mistyped fields get their defaults; `validateConfig` rejects them on save. */
export function readConfig(config: JsonObject): WebhookConfig {
  const { url, method, template } = config as Record<string, JsonValue | undefined>;
  return {
    url: typeof url === 'string' ? url : '',
    method: typeof method === 'string' && method !== '' ? method.toUpperCase() : 'POST',
    template: typeof template === 'string' && template !== '' ? template : null,
    headers: readPairs(config['headers']),
    queryParameters: readPairs(config['queryParameters']),
  };
}

function readPairs(value: JsonValue | undefined): Pair[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: JsonValue) => {
    const { key, value, locked } = (item ?? {}) as Record<string, JsonValue | undefined>;
    if (typeof key !== 'string' || key === '') return [];
    return [{ key, value: typeof value === 'string' ? value : '', locked: locked === true }];
  });
}

/** Returns every template of a configuration with its field path. */
export function templatesOf(config: JsonObject): TemplateField[] {
  const { url, template, headers, queryParameters } = readConfig(config);
  const found: TemplateField[] = [{ path: 'config.url', source: url, target: 'url' }];
  if (template !== null) found.push({ path: 'config.template', source: template, target: 'body' });
  for (const [index, { key, value }] of headers.entries()) {
    found.push({ path: `config.headers[${index}].value`, source: value, target: `header ${key.toLowerCase()}` });
  }
  for (const [index, { value }] of queryParameters.entries()) {
    found.push({ path: `config.queryParameters[${index}].value`, source: value, target: 'url' });
  }
  return found;
}
