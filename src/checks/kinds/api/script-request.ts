// The request of an API check while its setup scripts run: the input and output of each script.
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { ScriptedRequest, ScriptRequest, ScriptValues, ProbeInput } from '#domain/checks/probe.ts';
import type { JsonObject } from '#domain/json.ts';
import type { ScriptSees } from '#domain/checks/script.ts';
import { mergedPairs, parseTarget, filledBody, formEncoded } from '../../parts/http/request.ts';
import { headerProblem, valuesOf } from '../../parts/http/plan.ts';
import type { ApiDefaults, BodyType } from '../../parts/http/schema.ts';
import { MissingVariable, missingVariable, type NoProbe } from '../../parts/findings/judge.ts';
import { fillIn, fillKnown, firstPlaceholder, usesIn, type VariableUse } from '../../parts/placeholders.ts';
import { http } from './http.ts';
import { readEnvironment, readRequest } from './script-left.ts';

/** A text from the settings or from a script. */
interface Written {
  readonly text: string;
  /**
   * Whether a script wrote it. Then it is sent unchanged, except for variables set by scripts, so that no other
   * variable leaks.
   */
  readonly isOfScript: boolean;
}

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly isOfScript: boolean;
}

/** The request between two scripts. */
export interface RequestState {
  readonly method: string;
  readonly url: Written;
  readonly headers: readonly Pair[];
  readonly queryParameters: readonly Pair[];
  readonly body: Written;
  readonly bodyType: BodyType;
  readonly group: ApiDefaults;
  /** Variables of the check with the values that scripts set. They stay secret or locked. */
  readonly variables: readonly EnvironmentVariable[];
  /** Variables set by scripts, by name. */
  readonly set: ReadonlyMap<string, string>;
  /** Secret values that scripts replaced. */
  readonly hidden: readonly string[];
  /** Locked headers and query parameters, in lower case. Values that scripts put there are masked too. */
  readonly locked: ReadonlySet<string>;
}

/** Returns the request as configured by the check and its group. */
export function requestBefore({ check, group: stored, variables }: ProbeInput): RequestState {
  const own = http.read(check.settings);
  const group = http.defaultsOf(stored);
  const pairs = (which: 'headers' | 'queryParameters'): Pair[] =>
    mergedPairs(which, group, own).map(({ key, value }) => ({ key, value, isOfScript: false }));
  const locked = (['headers', 'queryParameters'] as const)
    .flatMap((which) => mergedPairs(which, group, own))
    .flatMap((pair) => (pair.locked ? [pair.key.toLowerCase()] : []));
  return {
    method: own.method,
    url: { text: own.url, isOfScript: false },
    headers: pairs('headers'),
    queryParameters: pairs('queryParameters'),
    body: { text: own.bodyType === 'NONE' ? '' : own.body, isOfScript: false },
    bodyType: own.bodyType,
    group,
    variables,
    set: new Map(),
    locked: new Set(locked),
    hidden: [],
  };
}

/** Returns the input of the next script. Undefined variables stay as placeholders. */
export function requestSeen(state: RequestState): ScriptRequest {
  const fill = filling(state);
  const { method, url, body } = state;
  return {
    method,
    url: fill(url.text, url.isOfScript),
    headers: valuesSeen(trimmed(state.headers, fill)),
    queryParameters: valuesSeen(filledPairs(state.queryParameters, fill)),
    body: fill(body.text, body.isOfScript, state.bodyType === 'FORM' ? formEncoded : undefined),
  };
}

/** Places where the next script may put secret values. */
export function hidesOf({ variables, locked }: RequestState): ScriptSees['hides'] {
  const isHidden = ({ secret, locked: isLocked }: EnvironmentVariable): boolean => secret || isLocked;
  return { variables: variables.filter(isHidden).map(({ key }) => key), fields: [...locked] };
}

/** Returns the request after a script, or a message about what is wrong. */
export function requestAfter(state: RequestState, left: JsonObject | null): RequestState | string {
  const environment = readEnvironment(left);
  if (typeof environment === 'string') return environment;
  const seen = requestSeen(state);
  const read = readRequest(left);
  if (typeof read === 'string') return read;
  const { method, url, headers, queryParameters, body } = read;
  const fill = filling(state);
  // Other headers may still contain placeholders.
  const problem = headerProblem(written(headers, seen.headers).flatMap(([name, value]) => each(name, value)));
  if (problem !== null) return `request.headers: ${problem}`;
  return {
    ...withEnvironment(state, environment),
    method,
    url: url === seen.url ? state.url : { text: url, isOfScript: true },
    headers: pairsLeft(state.headers, trimmed(state.headers, fill), headers, (name) => name.toLowerCase()),
    queryParameters: pairsLeft(
      state.queryParameters,
      filledPairs(state.queryParameters, fill),
      queryParameters,
      (name) => name,
    ),
    body: body === seen.body ? state.body : { text: body, isOfScript: true },
  };
}

/** Variables used in the parts that no script has written. */
function usesOf({ url, headers, queryParameters, body, bodyType, group }: RequestState): VariableUse[] {
  const own = ({ text, isOfScript }: Written, path: string) => (isOfScript ? [] : usesIn(text, path));
  const pairs = (list: readonly Pair[], path: string) =>
    list.flatMap(({ key, value, isOfScript }, index) =>
      isOfScript
        ? []
        : usesIn([key, value], `${path}[${index}]`).map(({ name }) => ({ path: `${path}[${index}]`, name })),
    );
  const uses = [
    ...own(url, 'request.url'),
    ...pairs(headers, 'request.headers'),
    ...pairs(queryParameters, 'request.queryParameters'),
    ...(bodyType === 'NONE' ? [] : own(body, 'request.body')),
  ];
  const usesBaseUrl = group.url !== '' && uses.some(({ name }) => name === 'GROUP_BASE_URL');
  return usesBaseUrl ? [...usesIn(group.url, 'apiCheckDefaults.url'), ...uses] : uses;
}

/** Returns the request to send, or why there is none. */
export function requestToSend(state: RequestState): ScriptedRequest | NoProbe {
  const values = valuesOf(state, state.group);
  const { set } = state;
  const fill: Fill = (text, isOfScript) => (isOfScript ? fillKnown(text, set) : fillIn(text, values, new Set()));
  const { method, url, body, bodyType } = state;
  const undefinedUse = missingVariable(usesOf(state), values);
  if (undefinedUse !== null) return undefinedUse;
  const address = fillKnown(url.text, url.isOfScript ? set : values);
  const missing = firstPlaceholder(address);
  if (missing !== null) return new MissingVariable({ path: 'request.url', name: missing });
  if (parseTarget(address) === null) return `the URL "${address}" is not an absolute http:// or https:// URL`;
  const headers = trimmed(state.headers, fill);
  const queryParameters = filledPairs(state.queryParameters, fill);
  const isHidden = (pair: Pair): boolean => isCredential(pair, state.locked);
  return {
    method,
    url: address,
    headers: headers.map(({ key, value }) => [key, value]),
    queryParameters: queryParameters.map(({ key, value }) => [key, value]),
    body: body.isOfScript ? fillKnown(body.text, set) : filledBody(bodyType, body.text, values),
    hidden: [
      ...state.hidden,
      ...headers.filter(isHidden).flatMap(({ value }) => [value, withoutScheme(value)]),
      ...queryParameters.filter(isHidden).map(({ value }) => value),
    ],
  };
}

type Fill = (text: string, isOfScript: boolean, encode?: (value: string) => string) => string;

function filling(state: RequestState): Fill {
  const values = valuesOf(state, state.group);
  return (text, isOfScript, encode) => (isOfScript ? fillKnown(text, state.set) : fillKnown(text, values, encode));
}

function filledPairs(pairs: readonly Pair[], fill: Fill): Pair[] {
  return pairs.map(({ key, value, isOfScript }) => ({
    key: fill(key, isOfScript),
    value: fill(value, isOfScript),
    isOfScript,
  }));
}

/** Headers are trimmed when sent. */
function trimmed(pairs: readonly Pair[], fill: Fill): Pair[] {
  return filledPairs(pairs, fill).map((pair) => ({ ...pair, key: pair.key.trim(), value: pair.value.trim() }));
}

/** Several values of one name become a list. */
function valuesSeen(pairs: readonly Pair[]): ScriptValues {
  const seen: Record<string, string | string[]> = {};
  for (const { key, value } of pairs) {
    const before = Object.hasOwn(seen, key) ? seen[key] : undefined;
    const next = before === undefined ? value : [...[before].flat(), value];
    Object.defineProperty(seen, key, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return seen;
}

/**
 * Merges pairs after a script: unchanged ones keep their origin, removed ones are dropped, and the rest belong to the
 * script.
 *
 * @param sameName normalizes a name
 */
function pairsLeft(
  present: readonly Pair[],
  filled: readonly Pair[],
  left: ScriptValues,
  sameName: (name: string) => string,
): Pair[] {
  const own = written(left, valuesSeen(filled));
  const replaced = new Set(own.map(([name]) => sameName(name)));
  const kept = present.filter((_, index) => {
    const name = filled[index]?.key ?? '';
    return Object.hasOwn(left, name) && !replaced.has(sameName(name));
  });
  const added = own.flatMap(([name, value]) => each(name, value));
  return [...kept, ...added.map(([key, value]) => ({ key, value, isOfScript: true }))];
}

/** Returns the values that the script changed. */
function written(left: ScriptValues, seen: ScriptValues): (readonly [string, string | readonly string[]])[] {
  const before = (name: string): unknown => (Object.hasOwn(seen, name) ? seen[name] : null);
  return Object.entries(left).filter(([name, value]) => JSON.stringify(before(name)) !== JSON.stringify(value));
}

function each(name: string, value: string | readonly string[]): (readonly [string, string])[] {
  return [value].flat().map((one): readonly [string, string] => [name, one]);
}

/** A variable set by a script stays secret or locked if it was. New variables are neither. */
function withEnvironment(state: RequestState, environment: ReadonlyMap<string, string>): RequestState {
  const isHidden = ({ secret, locked, key }: EnvironmentVariable): boolean =>
    (secret || locked) && environment.has(key);
  const known = new Map(state.variables.map((variable) => [variable.key, variable]));
  for (const [key, value] of environment) {
    const { locked = false, secret = false } = known.get(key) ?? {};
    known.set(key, { key, value, locked, secret });
  }
  return {
    ...state,
    variables: [...known.values()],
    set: new Map([...state.set, ...environment]),
    hidden: [...state.hidden, ...state.variables.filter(isHidden).map(({ value }) => value)],
  };
}

/** Whether a script put a value where credentials or locked values belong. */
function isCredential({ key, isOfScript }: Pair, locked: ReadonlySet<string>): boolean {
  return isOfScript && (/^(?:proxy-)?authorization$|^cookie$/i.test(key) || locked.has(key.toLowerCase()));
}

function withoutScheme(value: string): string {
  return value.replace(/^\S+\s+/, '');
}
