// The plan of an HTTP probe, built once per revision: the filled-in request and its assertions.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { ScriptedRequest, ThreadInput } from '#domain/checks/probe.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Assertion } from '../assertions/assertion.ts';
import type { AssertionSource } from '../assertions/sources.ts';
import { readDomain } from '../connection/named-certificate.ts';
import type { Endpoint } from '../connection/reach.ts';
import { type MissingVariable, missingVariable } from '../findings/judge.ts';
import { compileAll, hiddenVariables } from '../findings/prepare.ts';
import { fillIn, fillKnown } from '../placeholders.ts';
import { createRedactor, mask, type Redactor } from '../redact.ts';
import {
  bodyOf,
  contentTypes,
  encodedBody,
  framing,
  mergedPairs,
  parseTarget,
  type Target,
  httpUses,
} from './request.ts';
import { methods } from '#lib/schema/bodies.ts';
import type { ApiDefaults, HttpSettings } from './schema.ts';

/** A request ready to send. */
export interface OutgoingRequest {
  readonly method: string;
  readonly target: Target;
  /** Without `host`, `connection` and `content-length`, unless the user set `host`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
}

/** Parts of a request to drop on redirects to another origin. */
export interface Confidential {
  /** Lower-case names of headers that are locked or use a secret or locked variable. */
  readonly headers: ReadonlySet<string>;
  /** Whether the body uses such a variable. */
  readonly body: boolean;
  /** Whether a text contains a secret or locked value of at least three characters. */
  readonly isIn: (text: string) => boolean;
}

export interface Plan {
  /** Check and revision. */
  readonly of: Pick<ThreadInput, 'check' | 'revision'>;
  readonly settings: HttpSettings;
  readonly shouldFail: boolean;
  readonly request: OutgoingRequest;
  readonly assertions: readonly Assertion[];
  readonly needsBody: boolean;
  /** Whether scripts after the response need its body. */
  readonly wantsText: boolean;
  /** Target whose certificate is reported; null = that of the URL. */
  readonly certificateAt: Endpoint | null;
  readonly redactor: Redactor;
  /** Parts that other origins must not receive. */
  readonly confidential: Confidential;
  /** The masked request for results, as JSON. */
  readonly shown: string;
}

/** A check type that uses the HTTP probe. */
export interface HttpKind {
  readonly read: (settings: JsonObject) => HttpSettings;
  /** Returns the group defaults that apply. */
  readonly defaultsOf: (group: ThreadInput['group']) => ApiDefaults;
  readonly sources: readonly AssertionSource[];
}

/**
 * Builds the plan of a check, or returns why its settings make no valid request. Secret and locked values are masked in
 * the message and in `shown`.
 */
export function makePlan(input: ThreadInput, kind: HttpKind, version: string): Plan | string | MissingVariable {
  const own = kind.read(input.check.settings);
  const group = kind.defaultsOf(input.group);
  const values = valuesOf(input, group);
  const { scripted } = input;
  const missing = missingVariable(httpUses(own, group, scripted !== undefined), values);
  return missing ?? filledPlan(input, kind, { own, group, values }, version);
}

/** Settings of a check and its group with their variables. */
interface Filling {
  readonly own: HttpSettings;
  readonly group: ApiDefaults;
  readonly values: ReadonlyMap<string, string>;
}

function filledPlan(
  input: ThreadInput,
  kind: HttpKind,
  { own, group, values }: Filling,
  version: string,
): Plan | string {
  const { scripted } = input;
  const fill = (text: string): string => fillIn(text, values, new Set());
  const target = scripted === undefined ? targetOf(own, group, values) : scriptedTarget(scripted);
  const userInfo = typeof target === 'string' ? null : target.userInfo;
  const auth = filledAuth(own.basicAuth ?? group.basicAuth, fill) ?? userInfo;
  // Create it first: every message from here on must be masked, because its readers may not be allowed to see the
  // values.
  const redactor = createRedactor(hiddenValues(input, group, own, fill, auth));
  const hide = redactor.text;
  if (typeof target === 'string') return hide(target);
  const pairs =
    scripted?.headers ??
    mergedPairs('headers', group, own).map(({ key, value }) => [fill(key).trim(), fill(value).trim()] as const);
  const body =
    scripted === undefined ? bodyOf(own.bodyType, own.body, values) : encodedBody(own.bodyType, scripted.body);
  const headers = withBuiltIn(pairs, own, body, auth, version);
  const problem = headerProblem(headers);
  if (problem !== null) return hide(problem);
  const method = scripted?.method ?? own.method;
  if (!methods.some((each) => each === method))
    return hide(`"${method}" is not a supported method; use one of ${methods.join(', ')}`);

  const written = group.assertions.length === 0 ? own.assertions : [...group.assertions, ...own.assertions];
  const assertions = compileAll(written, kind.sources, { fill, redactor });
  if (typeof assertions === 'string') return hide(assertions);
  const request: OutgoingRequest = { method, target, headers, body };
  return {
    of: input,
    settings: own,
    shouldFail: input.check.shouldFail,
    request,
    assertions,
    certificateAt: readDomain(fill(own.sslCheckDomain ?? '')),
    wantsText: false,
    needsBody: assertions.some(({ source }) => source === 'JSON_BODY' || source === 'TEXT_BODY'),
    redactor,
    confidential: confidentialOf(input, { own, group, values }, redactor),
    shown: JSON.stringify(redactor.json(shownRequest(request, redactor))),
  };
}

function confidentialOf({ variables }: ThreadInput, { own, group, values }: Filling, redactor: Redactor): Confidential {
  const hidden = new Map(variables.filter(({ secret, locked }) => secret || locked).map(({ key }) => [key, '']));
  const usesHidden = (text: string): boolean => fillKnown(text, hidden) !== text;
  const pairs = mergedPairs('headers', group, own).filter(
    ({ key, value, locked }) => locked || usesHidden(key) || usesHidden(value),
  );
  return {
    headers: new Set(pairs.map(({ key }) => fillIn(key, values, new Set()).trim().toLowerCase())),
    body: usesHidden(own.body),
    isIn: (text) => redactor.text(text) !== text,
  };
}

/** Variables of a check by name, including the group's base URL. */
export function valuesOf({ variables }: Pick<ThreadInput, 'variables'>, group: ApiDefaults): Map<string, string> {
  const values = new Map(variables.map(({ key, value }) => [key, value]));
  if (group.url !== '') values.set('GROUP_BASE_URL', fillIn(group.url, values, new Set()));
  return values;
}

const noUrl = 'the URL is not an absolute http:// or https:// URL once its variables are filled in';

function targetOf(own: HttpSettings, group: ApiDefaults, values: ReadonlyMap<string, string>): Target | string {
  const fill = (text: string): string => fillIn(text, values, new Set());
  const parameters = mergedPairs('queryParameters', group, own).map(
    ({ key, value }) => [fill(key), fill(value)] as const,
  );
  return targetWith(fill(own.url), parameters);
}

function scriptedTarget({ url, queryParameters }: ScriptedRequest): Target | string {
  return targetWith(url, queryParameters);
}

function targetWith(text: string, parameters: ScriptedRequest['queryParameters']): Target | string {
  const target = parseTarget(text);
  if (target === null || parameters.length === 0) return target ?? noUrl;
  const search = new URLSearchParams();
  for (const [name, value] of parameters) search.append(name, value);
  const joined = `${text.replace(/#.*$/s, '')}${target.path.includes('?') ? '&' : '?'}${search.toString()}`;
  return parseTarget(joined) ?? 'the URL and its query parameters do not form a valid URL';
}

function filledAuth(auth: ApiDefaults['basicAuth'], fill: (text: string) => string): string | null {
  return auth === null ? null : `${fill(auth.username)}:${fill(auth.password)}`;
}

/** Headers of every request, unless the check sets them. The pairs are shared between plans to save memory. */
const sameForAll = [
  ['accept', '*/*'],
  ['accept-encoding', 'gzip, deflate, br, zstd'],
] as const;

function withBuiltIn(
  pairs: readonly (readonly [string, string])[],
  own: HttpSettings,
  body: Buffer | null,
  auth: string | null,
  version: string,
): (readonly [string, string])[] {
  const contentType = contentTypes[own.bodyType];
  const builtIn: (readonly [string, string])[] = [['user-agent', `Tocsin/${version}`], ...sameForAll];
  if (body !== null && contentType !== null) builtIn.push(['content-type', contentType]);
  if (auth !== null) builtIn.push(['authorization', `Basic ${Buffer.from(auth).toString('base64')}`]);
  if (pairs.length === 0) return builtIn;
  const kept = pairs.filter(([name]) => !framing.has(name.toLowerCase()));
  const names = new Set(kept.map(([name]) => name.toLowerCase()));
  return [...builtIn.filter(([name]) => !names.has(name)), ...kept];
}

/** Returns what is invalid about headers, or null. */
export function headerProblem(headers: readonly (readonly [string, string])[]): string | null {
  for (const [name, value] of headers) {
    try {
      validateHeaderName(name);
    } catch {
      return `"${name}" is not a header name`;
    }
    try {
      validateHeaderValue(name, value);
    } catch {
      return `the value of header ${name} contains a character that HTTP does not allow`;
    }
  }
  return null;
}

/** Returns the values to mask that are known from the settings. Scripts run before there is a plan. */
export function hiddenOf(input: ThreadInput, kind: HttpKind): string[] {
  const own = kind.read(input.check.settings);
  const group = kind.defaultsOf(input.group);
  const values = valuesOf(input, group);
  const fill = (text: string): string => fillIn(text, values, new Set());
  return hiddenValues(input, group, own, fill, filledAuth(own.basicAuth ?? group.basicAuth, fill));
}

/** Secret and locked values, and the complete basic authorization, which a target could echo. */
function hiddenValues(
  input: ThreadInput,
  group: ApiDefaults,
  own: HttpSettings,
  fill: (text: string) => string,
  auth: string | null,
): string[] {
  const hidden = [...(input.scripted?.hidden ?? []), ...hiddenVariables(input)];
  for (const pairs of [group.headers, own.headers, group.queryParameters, own.queryParameters])
    for (const { locked, value } of pairs) if (locked) hidden.push(fill(value).trim());
  if (auth !== null) hidden.push(auth, auth.slice(auth.indexOf(':') + 1));
  return hidden;
}

/** The request in results (reference §4.7: apiCheckResult.request). */
function shownRequest({ method, target, headers, body }: OutgoingRequest, redactor: Redactor): JsonObject {
  const [url = target.href, search = ''] = target.href.split('?', 2);
  const names = headers.map(([name, value]) => [name.toLowerCase(), isBasic(name, value) ? `Basic ${mask}` : value]);
  return {
    method,
    url: search === '' ? url : target.href,
    headers: Object.fromEntries(names),
    params: search === '' ? {} : Object.fromEntries(new URLSearchParams(search)),
    // Mask before truncating, so that no partial secret is left at the edge.
    data:
      body === null ? '' : redactor.text(body.toString('utf8', 0, maxShown + redactor.longest * 4)).slice(0, maxShown),
  };
}

/** Maximum characters of a body in results. */
const maxShown = 65_536;

function isBasic(name: string, value: string): boolean {
  return name.toLowerCase() === 'authorization' && /^basic\s/i.test(value);
}
