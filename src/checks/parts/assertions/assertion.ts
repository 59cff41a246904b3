// Assertions: what they look at, how they compare, and when what a user wrote is one (reference §4.3).
import { jsonpath } from 'json-p3';
import { decimalOf } from './decimal.ts';
import { mostDepth } from './json-document.ts';

/** An assertion as written by the user. */
export interface AssertionSettings {
  readonly source: string;
  readonly comparison: string;
  readonly property: string;
  readonly target: string;
  /** null = none. */
  readonly regex: string | null;
}

/** Of all kinds of checks. The order is part of what is stored of a result: append only. */
export const sources = [
  'STATUS_CODE',
  'JSON_BODY',
  'HEADERS',
  'TEXT_BODY',
  'RESPONSE_TIME',
  'RESPONSE_DATA',
  'RESPONSE_CODE',
  'TEXT_ANSWER',
  'JSON_ANSWER',
  'LATENCY',
  'JSON_RESPONSE',
  'TEXT_RESPONSE',
  'CERTIFICATE',
  'CONNECTION',
] as const;
export type AssertionSource = (typeof sources)[number];

/** How the value of a source is looked at: a field is one of several values that its property names. */
export type SourceSort = 'number' | 'word' | 'text' | 'headers' | 'json' | 'field';

export const comparisons = [
  'EQUALS',
  'NOT_EQUALS',
  'HAS_KEY',
  'NOT_HAS_KEY',
  'HAS_VALUE',
  'NOT_HAS_VALUE',
  'IS_EMPTY',
  'NOT_EMPTY',
  'GREATER_THAN',
  'LESS_THAN',
  'CONTAINS',
  'NOT_CONTAINS',
  'IS_NULL',
  'NOT_NULL',
] as const;
export type Comparison = (typeof comparisons)[number];

/** An assertion ready to be evaluated. */
export interface Assertion {
  readonly source: AssertionSource;
  readonly comparison: Comparison;
  readonly property: string;
  readonly target: string;
  /** The source of `pattern`; '' = none. */
  readonly regex: string;
  readonly path: JsonPath | null;
  readonly pattern: RegExp | null;
}

/** What of the matches of a JSON path is compared: the only one there can be, every one, any one, or how many there are. */
export type MatchMode = 'one' | 'every' | 'any' | 'count';

/** A JSON path, and how its matches are compared. */
export interface JsonPath {
  readonly query: ReturnType<typeof jsonpath.compile>;
  readonly mode: MatchMode;
}

/** The sort of each source. */
export const sortOf: Readonly<Record<AssertionSource, SourceSort>> = {
  STATUS_CODE: 'number',
  JSON_BODY: 'json',
  HEADERS: 'headers',
  TEXT_BODY: 'text',
  RESPONSE_TIME: 'number',
  RESPONSE_DATA: 'text',
  RESPONSE_CODE: 'word',
  TEXT_ANSWER: 'text',
  JSON_ANSWER: 'json',
  LATENCY: 'number',
  JSON_RESPONSE: 'json',
  TEXT_RESPONSE: 'text',
  CERTIFICATE: 'field',
  CONNECTION: 'field',
};

/** The values of sources that have several: the property must name one of them. */
export const propertiesOf: Readonly<Partial<Record<AssertionSource, readonly string[]>>> = {
  LATENCY: ['avg', 'min', 'max', 'stdDev'],
  CERTIFICATE: [
    'daysUntilExpiry',
    'subjectCN',
    'issuerCN',
    'serialNumber',
    'fingerprintSha256',
    'issuerFingerprintSha256',
    'keySizeBits',
    'keyAlgorithm',
    'signatureAlgorithm',
    'sans',
    'selfSigned',
    'isCA',
  ],
  CONNECTION: [
    'tlsVersion',
    'cipherSuite',
    'hostnameVerified',
    'chainTrusted',
    'ocspStapled',
    'ocspStatus',
    'resolvedIp',
  ],
};

const numeric: readonly Comparison[] = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'];
const ofKeys: readonly Comparison[] = ['HAS_KEY', 'NOT_HAS_KEY', 'HAS_VALUE', 'NOT_HAS_VALUE'];
const withoutKeys = comparisons.filter((comparison) => !ofKeys.includes(comparison));
const comparisonsOfSort: Readonly<Record<SourceSort, readonly Comparison[]>> = {
  number: numeric,
  word: ['EQUALS', 'NOT_EQUALS'],
  text: withoutKeys,
  headers: comparisons,
  json: comparisons,
  field: withoutKeys,
};

/** The comparisons a source knows. */
export function comparisonsOf(source: AssertionSource): readonly Comparison[] {
  return comparisonsOfSort[sortOf[source]];
}

/** JSON paths without regular expressions: those of a user could hold the thread for ever. */
const paths = new jsonpath.JSONPathEnvironment({ maxRecursionDepth: mostDepth + 1 });
paths.functionRegister.delete('match');
paths.functionRegister.delete('search');
/** Short paths that were compiled, by their source: those of most checks are the same few. A long one may be a hundred kB. */
const compiledPaths = new Map<string, JsonPath>();
const compiledPathsMost = 1000;
const shortSource = 100;

/** Longest pattern and path that are taken, characters. */
const longestSource = 1000;

/**
 * Prepares an assertion, or says in a sentence what is wrong with it.
 *
 * @param allowed the sources that the kind of check has
 * @param hide takes out of a text what may not be shown, where the settings are filled in
 */
export function compileAssertion(
  settings: AssertionSettings,
  allowed: readonly AssertionSource[],
  hide: (text: string) => string = (text) => text,
): Assertion | string {
  const { property, target } = settings;
  const regex = settings.regex ?? '';
  const source = allowed.find((each) => each === settings.source);
  if (source === undefined) {
    return `"${settings.source}" is not an assertion source for this type of check; use one of ${allowed.join(', ')}`;
  }
  const sort = sortOf[source];
  const known = comparisonsOf(source);
  const comparison = known.find((each) => each === settings.comparison);
  if (comparison === undefined) {
    return `"${settings.comparison}" is not a comparison for ${source}; use one of ${known.join(', ')}`;
  }
  const properties = propertiesOf[source];
  if (properties !== undefined && !properties.includes(property)) {
    return `"${hide(property)}" is not a property of ${source}; use one of ${properties.join(', ')}`;
  }
  const isOrder = comparison === 'GREATER_THAN' || comparison === 'LESS_THAN';
  if ((isOrder || sort === 'number') && !isNumber(target)) {
    return `${source} ${comparison} needs a number as its target, not "${hide(target)}"`;
  }
  if (regex !== '' && sort !== 'headers' && sort !== 'text') {
    return `${source} does not take a regex; only HEADERS and text sources do`;
  }
  // Clients write the pattern of a text into its property.
  const expression = sort === 'text' && regex === '' ? property : regex;
  const pattern = expression === '' ? null : compilePattern(expression, hide);
  if (typeof pattern === 'string') return pattern;
  const path = sort === 'json' ? compilePath(property, hide) : null;
  if (typeof path === 'string') return path;
  return { source, comparison, property, target, regex: pattern === null ? '' : expression, path, pattern };
}

function isNumber(text: string): boolean {
  return decimalOf(text) !== null;
}

function compilePattern(source: string, hide: (text: string) => string): RegExp | string {
  if (source.length > longestSource) return `the regex is longer than ${longestSource} characters`;
  try {
    return new RegExp(source);
  } catch {
    return `"${hide(source)}" is not a regular expression`;
  }
}

function compilePath(source: string, hide: (text: string) => string): JsonPath | string {
  if (source.length > longestSource) return `the JSON path is longer than ${longestSource} characters`;
  const known = compiledPaths.get(source);
  if (known !== undefined) return known;
  try {
    const path = readPath(source.trim());
    if (source.length > shortSource) return path;
    if (compiledPaths.size >= compiledPathsMost) compiledPaths.clear();
    compiledPaths.set(source, path);
    return path;
  } catch (error) {
    const shown = hide(source);
    // What the parser says quotes pieces of the path, and a piece of a secret is not recognised as one.
    if (shown !== source) return `"${shown}" is not a JSON path once its variables are filled in`;
    const detail = error instanceof Error ? error.message.replace(/ \('.*$/s, '') : 'it cannot be read';
    const isCall = /^\s*\w+\(/.test(source);
    const hint = isCall
      ? '; write any(<path>) or count(<path>) around a path'
      : /no such function/.test(detail)
        ? ' (match and search are not available)'
        : '';
    return `"${source}" is not a JSON path: ${detail}${hint}`;
  }
}

/** `any(…)` and `count(…)` around a path say how its matches are compared; otherwise a comparison is about every one. */
function readPath(source: string): JsonPath {
  const [, mode, inner = source] = /^(any|count)\((.*)\)$/s.exec(source) ?? [];
  const query = paths.compile(inner.trim() === '' ? '$' : inner.trim());
  if (mode === 'count') return { query, mode };
  return { query, mode: mode === 'any' ? 'any' : query.singularQuery() ? 'one' : 'every' };
}
