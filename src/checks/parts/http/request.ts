// The parts of an HTTP request: its target, pairs and body, and the variables that they use.
import { isIP } from 'node:net';
import { userInfoOf } from '#lib/net/uri.ts';
import type { Endpoint } from '../connection/reach.ts';
import { fillIn, hasPlaceholder, usesIn, type VariableUse } from '../placeholders.ts';
import type { ApiDefaults, KeyValue, BodyType, HttpSettings } from './schema.ts';
import type { JsonValue } from '#domain/json.ts';

/** The parts of an absolute http(s) URL that a request needs. */
export interface Target extends Endpoint {
  /** Without user info and fragment. */
  readonly href: string;
  readonly origin: string;
  readonly isTls: boolean;
  readonly path: string;
  readonly hostHeader: string;
  /** Decoded `user:password`, or null. */
  readonly userInfo: string | null;
}

/** Parses an absolute http(s) URL; null if invalid. */
export function parseTarget(text: string, base?: string): Target | null {
  const url = URL.parse(text.trim(), base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return null;
  const isTls = url.protocol === 'https:';
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const path = url.pathname + url.search;
  const { origin } = url;
  return {
    href: origin + path,
    origin,
    isTls,
    host,
    isAddress: isIP(host) > 0,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path,
    hostHeader: url.host,
    userInfo: userInfoOf(url),
  };
}

/** Returns what is wrong with a URL that contains variables, or null (decisions: Methods, URL). */
export function urlProblem(url: string): string | null {
  const right = 'use an absolute http:// or https:// URL, or one that starts with {{NAME}}';
  if (/^\s*\{\{/.test(url) && hasPlaceholder(url)) return null;
  const filled = fillIn(url, new Map(), new Set(), () => '1');
  return parseTarget(filled) === null ? `"${url}" is not a valid URL; ${right}` : null;
}

/** Headers set by Tocsin: they frame the message. */
export const framing: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
]);

type Pairs = Pick<ApiDefaults, 'headers' | 'queryParameters'>;

/** Group pairs whose names the check does not set, then the check's own. Headers without a name are dropped. */
export function mergedPairs(which: keyof Pairs, group: Pairs, own: Pairs): readonly KeyValue[] {
  const isHeader = which === 'headers';
  const nameOf = ({ key }: KeyValue): string => (isHeader ? key.toLowerCase() : key);
  const merged = group[which].length === 0 ? own[which] : joined(group[which], own[which], nameOf);
  return isHeader ? merged.filter(({ key }) => key.trim() !== '') : merged;
}

function joined(
  inherited: readonly KeyValue[],
  own: readonly KeyValue[],
  nameOf: (pair: KeyValue) => string,
): readonly KeyValue[] {
  const names = new Set(own.map(nameOf));
  return [...inherited.filter((pair) => !names.has(nameOf(pair))), ...own];
}

export const contentTypes: Readonly<Record<BodyType, string | null>> = {
  NONE: null,
  JSON: 'application/json',
  FORM: 'application/x-www-form-urlencoded',
  GRAPHQL: 'application/json',
  RAW: 'text/plain; charset=utf-8',
};

/** Returns the bytes to send; null = no body. */
export function bodyOf(type: BodyType, text: string, values: ReadonlyMap<string, string>): Buffer | null {
  if (type === 'NONE' || text === '') return null;
  return encodedBody(type, filledBody(type, text, values));
}

/** Returns the text of a body with variables filled in, before encoding. */
export function filledBody(type: BodyType, text: string, values: ReadonlyMap<string, string>): string {
  return fillIn(text, values, new Set(), type === 'FORM' ? formEncoded : undefined);
}

/** Encodes a filled-in text by its type. Only scripts create text of type NONE. null = no body. */
export function encodedBody(type: BodyType, text: string): Buffer | null {
  return text === '' ? null : Buffer.from(type === 'GRAPHQL' ? graphqlText(text) : text);
}

/** Encodes the value of a variable, so that it cannot change the structure of a form. */
export function formEncoded(value: string): string {
  return new URLSearchParams({ v: value }).toString().slice(2);
}

/** Wraps a plain query in the JSON that GraphQL servers expect. JSON with a query is sent unchanged. */
function graphqlText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'query' in value) return text;
  } catch {
    // Not JSON, so it is the query itself.
  }
  return JSON.stringify({ query: text });
}

/** @param isScripted whether scripts build the request, so that only later parts are filled in */
export function httpUses(own: HttpSettings, group: ApiDefaults, isScripted: boolean): VariableUse[] {
  const uses = [
    ...(isScripted ? [] : requestUses(own, group)),
    ...usesOf(group.assertions, 'apiCheckDefaults.assertions'),
    ...usesOf(own.assertions, 'request.assertions'),
    ...authUses(own, group),
    ...usesIn(own.sslCheckDomain ?? '', 'sslCheckDomain'),
  ];
  const usesBaseUrl = group.url !== '' && uses.some(({ name }) => name === 'GROUP_BASE_URL');
  return usesBaseUrl ? [...usesIn(group.url, 'apiCheckDefaults.url'), ...uses] : uses;
}

function requestUses(own: HttpSettings, group: ApiDefaults): VariableUse[] {
  return [
    ...usesIn(own.url, 'request.url'),
    ...inherited(group.headers, own.headers, 'headers', (key) => key.toLowerCase()),
    ...usesOf(own.headers, 'request.headers'),
    ...inherited(group.queryParameters, own.queryParameters, 'queryParameters', (key) => key),
    ...usesOf(own.queryParameters, 'request.queryParameters'),
    ...(own.bodyType === 'NONE' ? [] : usesIn(own.body, 'request.body')),
  ];
}

/** Group pairs that the check does not override. */
function inherited(
  ofGroup: readonly KeyValue[],
  ownPairs: readonly KeyValue[],
  name: 'headers' | 'queryParameters',
  sameName: (key: string) => string,
): VariableUse[] {
  const names = new Set(ownPairs.map(({ key }) => sameName(key)));
  return ofGroup.flatMap((pair, index) =>
    names.has(sameName(pair.key)) ? [] : usesOf([pair], `apiCheckDefaults.${name}`, index),
  );
}

function authUses(own: HttpSettings, group: ApiDefaults): VariableUse[] {
  if (own.basicAuth !== null) return usesOf([own.basicAuth], 'request.basicAuth', null);
  return group.basicAuth === null ? [] : usesOf([group.basicAuth], 'apiCheckDefaults.basicAuth', null);
}

/** Variables used in the texts of a list of records. @param first index of the first; null = not a list */
function usesOf(records: readonly object[], path: string, first: number | null = 0): VariableUse[] {
  return records.flatMap((record, index) =>
    usesIn(record as JsonValue, first === null ? path : `${path}[${first + index}]`),
  );
}
