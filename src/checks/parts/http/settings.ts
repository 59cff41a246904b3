// Settings of the HTTP probe: those of an API check with all defaults filled in (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import type { AssertionSettings } from '../assertions/assertion.ts';
import { bodyTypes } from './schema.ts';
import { assertions, family, list, object, positive, text } from '../read.ts';

export type BodyType = (typeof bodyTypes)[number];

/** A header or query parameter. Locked values are masked. */
export interface KeyValue {
  readonly key: string;
  readonly value: string;
  readonly locked: boolean;
}

export interface BasicAuth {
  readonly username: string;
  readonly password: string;
}

/** Defaults that a group gives its API checks. */
export interface ApiDefaults {
  readonly url: string;
  readonly headers: readonly KeyValue[];
  readonly queryParameters: readonly KeyValue[];
  readonly assertions: readonly AssertionSettings[];
  readonly basicAuth: BasicAuth | null;
}

export interface ApiSettings extends ApiDefaults {
  /** Upper case. */
  readonly method: string;
  readonly followRedirects: boolean;
  readonly skipSSL: boolean;
  /** 0 = both families. */
  readonly family: 0 | 4 | 6;
  readonly body: string;
  readonly bodyType: BodyType;
  /** Host whose certificate is reported, `host` or `host:port`; '' = that of the URL. */
  readonly sslCheckDomain: string;
  /** In ms. */
  readonly degradedResponseTime: number;
  /** In ms. */
  readonly maxResponseTime: number;
}

/** Reads the settings of a check. Mistyped fields count as missing, because the wire schema rejects them. */
export function readSettings(settings: JsonObject): ApiSettings {
  const request = object(settings['request']);
  const bodyType = text(request['bodyType']).toUpperCase();
  return {
    ...readDefaults(request),
    method: text(request['method']).toUpperCase() || 'GET',
    followRedirects: request['followRedirects'] !== false,
    skipSSL: request['skipSSL'] === true,
    family: family(request['ipFamily']),
    body: text(request['body']),
    bodyType: bodyTypes.find((each) => each === bodyType) ?? 'NONE',
    sslCheckDomain: text(settings['sslCheckDomain']),
    degradedResponseTime: positive(settings['degradedResponseTime'], 5000),
    maxResponseTime: positive(settings['maxResponseTime'], 20_000),
  };
}

/** Returns only the URL as written by the user, or ''. */
export function urlOf(settings: JsonObject): string {
  return text(object(settings['request'])['url']);
}

/** Reads the defaults of a group. */
export function readDefaults(defaults: JsonObject): ApiDefaults {
  const auth = object(defaults['basicAuth']);
  const basicAuth = { username: text(auth['username']), password: text(auth['password']) };
  return {
    url: text(defaults['url']),
    headers: list(defaults['headers']).map(keyValue),
    queryParameters: list(defaults['queryParameters']).map(keyValue),
    assertions: assertions(defaults['assertions']),
    basicAuth: basicAuth.username === '' && basicAuth.password === '' ? null : basicAuth,
  };
}

/** Defaults of checks without a group, and of types without group defaults. */
export const noDefaults: ApiDefaults = readDefaults({});

function keyValue(item: JsonObject): KeyValue {
  return { key: text(item['key']), value: text(item['value']), locked: item['locked'] === true };
}
