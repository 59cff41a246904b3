// What a script around a request says that it has left, read as what it is: foreign, of any shape and any size.
import type { ScriptRequest, ScriptResponse, ScriptValues } from '#domain/checks/exchange.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { methods } from '#lib/schema/bodies.ts';
import { object } from '../../parts/read.ts';

/** A value, or a sentence that says which part is wrong and what would be right. */
type Read<Value> = { readonly value: Value } | { readonly problem: string };

/** More of each is no request and no answer that a check is about. */
const most = { variables: 200, values: 2000, name: 1000, value: 65_536, url: 8192, body: 524_288 } as const;

/** The variables that a script has set, by name; or what is wrong with them. */
export function readEnvironment(left: JsonObject | null): ReadonlyMap<string, string> | string {
  const entries = Object.entries(object(left?.['environment']));
  if (entries.length > most.variables)
    return `${entries.length} environment variables were set; the maximum is ${most.variables}`;
  const read = new Map<string, string>();
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || name.length > most.name || value.length > most.value)
      return `the environment variable ${name.slice(0, 100)} must be a string of at most ${most.value} characters`;
    read.set(name, value);
  }
  return read;
}

/** The request after a script; or what is wrong with it. */
export function readRequest(left: JsonObject | null): ScriptRequest | string {
  const told = left?.['request'] ?? null;
  if (typeof told !== 'object' || told === null || Array.isArray(told)) return 'request is no longer an object';
  const { method, url, headers, queryParameters, body } = told as JsonObject;
  const known = methods.find((each) => typeof method === 'string' && each === method.toUpperCase());
  if (known === undefined) return `request.method must be one of ${methods.join(', ')}, not ${shown(method)}`;
  if (typeof url !== 'string') return `request.url must be a string, not ${shown(url)}`;
  if (url.length > most.url) return `request.url must have at most ${most.url} characters, not ${url.length}`;
  const names = readValues('request.headers', headers);
  if ('problem' in names) return names.problem;
  const parameters = readValues('request.queryParameters', queryParameters);
  if ('problem' in parameters) return parameters.problem;
  const text = readBody('request.body', body);
  if ('problem' in text) return text.problem;
  return { method: known, url, headers: names.value, queryParameters: parameters.value, body: text.value };
}

/** Headers or query parameters: texts, or lists of them, by name. */
function readValues(field: string, value: JsonValue | undefined): Read<ScriptValues> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: `${field} must be an object of strings` };
  const entries = Object.entries(value as JsonObject);
  if (entries.length > most.values) return { problem: `${field} must have at most ${most.values} names` };
  const read: [string, string | readonly string[]][] = [];
  for (const [name, held] of entries) {
    const isList = Array.isArray(held) && held.length <= most.values && held.every(isText);
    if (!isText(held) && !isList) {
      const problem = `${field}["${name.slice(0, 100)}"] must be a string of at most ${most.value} characters, or a list of such strings`;
      return { problem };
    }
    if (name.length > most.name) return { problem: `names in ${field} must have at most ${most.name} characters` };
    read.push([name, held]);
  }
  return { value: Object.fromEntries(read) };
}

function readBody(field: string, value: JsonValue | undefined): Read<string> {
  if (typeof value !== 'string') return { problem: `${field} must be a string` };
  return value.length > most.body
    ? { problem: `${field} must have at most ${most.body} characters, not ${value.length}` }
    : { value };
}

/** An answer after a script, and whether its body is another one; or what is wrong with it. */
export function responseAfter(
  came: ScriptResponse,
  left: JsonObject | null,
): { readonly response: ScriptResponse; readonly isOtherBody: boolean } | string {
  const told = left?.['response'] ?? null;
  if (typeof told !== 'object' || told === null || Array.isArray(told)) return 'response is no longer an object';
  const { status, statusText, headers, body } = told as JsonObject;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 100 || status > 999)
    return 'response.status must be an integer from 100 to 999';
  const text = typeof statusText === 'string' ? statusText.slice(0, most.name) : '';
  const values = readValues('response.headers', headers);
  if ('problem' in values) return values.problem;
  const lower = Object.entries(values.value).map(([name, value]) => [name.toLowerCase(), value] as const);
  const shared = { status, statusText: text, headers: Object.fromEntries(lower) };
  // What is as it came is not told.
  if (body === undefined) return { response: { ...shared, body: came.body }, isOtherBody: false };
  const read = readBody('response.body', body);
  return 'problem' in read ? read.problem : { response: { ...shared, body: read.value }, isOtherBody: true };
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string' && value.length <= most.value;
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);
}
