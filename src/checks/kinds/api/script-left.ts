// Parses what a script left of a request or response. It is untrusted input of any shape and size.
import type { ScriptRequest, ScriptResponse, ScriptValues } from '#domain/checks/probe.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { methods } from '#lib/schema/bodies.ts';
import { object } from '../../parts/read.ts';

/** A value, or a message about the invalid part. */
type Read<Value> = { readonly value: Value } | { readonly problem: string };

/** Size limits for requests and responses. */
const max = { variables: 200, values: 2000, name: 1000, value: 65_536, url: 8192, body: 524_288 } as const;

/** Returns the variables that a script set, or a message about what is wrong. */
export function readEnvironment(left: JsonObject | null): ReadonlyMap<string, string> | string {
  const entries = Object.entries(object(left?.['environment']));
  if (entries.length > max.variables)
    return `${entries.length} environment variables were set; the maximum is ${max.variables}`;
  const read = new Map<string, string>();
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || name.length > max.name || value.length > max.value)
      return `the environment variable ${name.slice(0, 100)} must be a string of at most ${max.value} characters`;
    read.set(name, value);
  }
  return read;
}

/** Returns the request after a script, or a message about what is wrong. */
export function readRequest(left: JsonObject | null): ScriptRequest | string {
  const reported = left?.['request'] ?? null;
  if (typeof reported !== 'object' || reported === null || Array.isArray(reported))
    return 'request is no longer an object';
  const { method, url, headers, queryParameters, body } = reported as JsonObject;
  const known = methods.find((each) => typeof method === 'string' && each === method.toUpperCase());
  if (known === undefined) return `request.method must be one of ${methods.join(', ')}, not ${shown(method)}`;
  if (typeof url !== 'string') return `request.url must be a string, not ${shown(url)}`;
  if (url.length > max.url) return `request.url must have at most ${max.url} characters, not ${url.length}`;
  const names = readValues('request.headers', headers);
  if ('problem' in names) return names.problem;
  const parameters = readValues('request.queryParameters', queryParameters);
  if ('problem' in parameters) return parameters.problem;
  const text = readBody('request.body', body);
  if ('problem' in text) return text.problem;
  return { method: known, url, headers: names.value, queryParameters: parameters.value, body: text.value };
}

/** Parses headers or query parameters: strings or lists of strings by name. */
function readValues(field: string, value: JsonValue | undefined): Read<ScriptValues> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: `${field} must be an object of strings` };
  const entries = Object.entries(value as JsonObject);
  if (entries.length > max.values) return { problem: `${field} must have at most ${max.values} names` };
  const read: [string, string | readonly string[]][] = [];
  for (const [name, held] of entries) {
    const isList = Array.isArray(held) && held.length <= max.values && held.every(isText);
    if (!isText(held) && !isList) {
      const problem = `${field}["${name.slice(0, 100)}"] must be a string of at most ${max.value} characters, or a list of such strings`;
      return { problem };
    }
    if (name.length > max.name) return { problem: `names in ${field} must have at most ${max.name} characters` };
    read.push([name, held]);
  }
  return { value: Object.fromEntries(read) };
}

function readBody(field: string, value: JsonValue | undefined): Read<string> {
  if (typeof value !== 'string') return { problem: `${field} must be a string` };
  return value.length > max.body
    ? { problem: `${field} must have at most ${max.body} characters, not ${value.length}` }
    : { value };
}

/** Returns the response after a script and whether its body changed, or a message about what is wrong. */
export function responseAfter(
  came: ScriptResponse,
  left: JsonObject | null,
): { readonly response: ScriptResponse; readonly isOtherBody: boolean } | string {
  const reported = left?.['response'] ?? null;
  if (typeof reported !== 'object' || reported === null || Array.isArray(reported))
    return 'response is no longer an object';
  const { status, statusText, headers, body } = reported as JsonObject;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 100 || status > 999)
    return 'response.status must be an integer from 100 to 999';
  const text = typeof statusText === 'string' ? statusText.slice(0, max.name) : '';
  const values = readValues('response.headers', headers);
  if ('problem' in values) return values.problem;
  const lower = Object.entries(values.value).map(([name, value]) => [name.toLowerCase(), value] as const);
  const shared = { status, statusText: text, headers: Object.fromEntries(lower) };
  // An unchanged body is not sent back.
  if (body === undefined) return { response: { ...shared, body: came.body }, isOtherBody: false };
  const read = readBody('response.body', body);
  return 'problem' in read ? read.problem : { response: { ...shared, body: read.value }, isOtherBody: true };
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string' && value.length <= max.value;
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);
}
