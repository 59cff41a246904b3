// The assertions of API checks: which there are, what they look at, and when they hold (reference §4.3).
import { jsonpath } from 'json-p3';
import type { AssertionSettings } from './settings.ts';

export const sources = ['STATUS_CODE', 'JSON_BODY', 'HEADERS', 'TEXT_BODY', 'RESPONSE_TIME'] as const;
export type AssertionSource = (typeof sources)[number];

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

type JsonPath = ReturnType<typeof jsonpath.compile>;

const numeric: readonly Comparison[] = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'];
const ofKeys: readonly Comparison[] = ['HAS_KEY', 'NOT_HAS_KEY', 'HAS_VALUE', 'NOT_HAS_VALUE'];

/** The comparisons a source knows. */
export const comparisonsOf: Readonly<Record<AssertionSource, readonly Comparison[]>> = {
  STATUS_CODE: numeric,
  RESPONSE_TIME: numeric,
  HEADERS: comparisons,
  JSON_BODY: comparisons,
  TEXT_BODY: comparisons.filter((comparison) => !ofKeys.includes(comparison)),
};

/** JSON paths without regular expressions: those of a user could hold the thread for ever. */
const paths = new jsonpath.JSONPathEnvironment();
paths.functionRegister.delete('match');
paths.functionRegister.delete('search');

/** Longest pattern and path that are taken, characters. */
const longestSource = 1000;

/**
 * Prepares an assertion, or says in a sentence what is wrong with it.
 *
 * @param hide takes out of a text what may not be shown, where the settings are filled in
 */
export function compileAssertion(
  settings: AssertionSettings,
  hide: (text: string) => string = (text) => text,
): Assertion | string {
  const { property, target, regex } = settings;
  const source = sources.find((each) => each === settings.source);
  if (source === undefined) return `"${settings.source}" is no assertion source: use one of ${sources.join(', ')}`;
  const comparison = comparisons.find((each) => each === settings.comparison);
  if (comparison === undefined || !comparisonsOf[source].includes(comparison)) {
    return `"${settings.comparison}" is no comparison of ${source}: use one of ${comparisonsOf[source].join(', ')}`;
  }
  const isOrder = comparison === 'GREATER_THAN' || comparison === 'LESS_THAN';
  if ((isOrder || comparisonsOf[source] === numeric) && !isNumber(target)) {
    return `${source} ${comparison} needs a number as its target, not "${hide(target)}"`;
  }
  const usesRegex = source === 'HEADERS' || source === 'TEXT_BODY';
  if (regex !== '' && !usesRegex) return `${source} takes no regex: only HEADERS and TEXT_BODY do`;
  // Clients write the pattern of a text body into its property.
  const expression = source === 'TEXT_BODY' && regex === '' ? property : regex;
  const pattern = expression === '' ? null : compilePattern(expression, hide);
  if (typeof pattern === 'string') return pattern;
  const path = source === 'JSON_BODY' ? compilePath(property, hide) : null;
  if (typeof path === 'string') return path;
  return { source, comparison, property, target, regex: pattern === null ? '' : expression, path, pattern };
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
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
  try {
    return paths.compile(source.trim() === '' ? '$' : source.trim());
  } catch (error) {
    const shown = hide(source);
    // What the parser says quotes pieces of the path, and a piece of a secret is not recognised as one.
    if (shown !== source) return `"${shown}" is not a JSON path once its variables are filled in`;
    const detail = error instanceof Error ? error.message.replace(/ \('.*$/s, '') : 'it cannot be read';
    const hint = /no such function/.test(detail) ? ' (match and search are not available)' : '';
    return `"${source}" is not a JSON path: ${detail}${hint}`;
  }
}
