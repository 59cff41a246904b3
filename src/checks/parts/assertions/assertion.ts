// Assertions: sources, comparisons and compilation of user input (reference §4.3).
import { jsonpath } from 'json-p3';
import { parseDecimal } from './decimal.ts';
import { maxDepth } from './json-document.ts';
import { type AssertionSource, type Comparison, comparisonsOf, propertiesOf, sortOf } from './sources.ts';

/** An assertion as written by the user. */
export interface AssertionSettings {
  readonly source: string;
  readonly comparison: string;
  readonly property: string;
  readonly target: string;
  /** null = none. */
  readonly regex: string | null;
  /** Whether it passes if the value does not exist; absent = true: an older version saved it. */
  readonly passesIfAbsent?: boolean | undefined;
}

/** A compiled assertion. */
export interface Assertion {
  readonly source: AssertionSource;
  readonly comparison: Comparison;
  readonly property: string;
  readonly target: string;
  /** Source of `pattern`; '' = none. */
  readonly regex: string;
  readonly path: JsonPath | null;
  readonly pattern: RegExp | null;
  /** Whether a negated comparison holds if the value does not exist. */
  readonly passesIfAbsent: boolean;
}

/** How the matches of a JSON path are compared: a single match, every match, any match, or their number. */
export type MatchMode = 'one' | 'every' | 'any' | 'count';

/** A compiled JSON path with its match mode. */
export interface JsonPath {
  readonly query: ReturnType<typeof jsonpath.compile>;
  readonly mode: MatchMode;
}

/** JSON paths without user regular expressions, which could block the thread forever. */
const paths = new jsonpath.JSONPathEnvironment({ maxRecursionDepth: maxDepth + 1 });
paths.functionRegister.delete('match');
paths.functionRegister.delete('search');
/** Cache of short paths; most checks use the same few. A compiled long path may use 100 kB. */
const compiledPaths = new Map<string, JsonPath>();
const maxCompiledPaths = 1000;
const shortSource = 100;

/** Maximum length of patterns and paths, in characters. */
const longestSource = 1000;

/**
 * Compiles an assertion, or returns a message about what is wrong.
 *
 * @param allowed sources of this check kind
 * @param hide masks values that must not be shown, if the settings are filled in
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
  // Clients put the pattern of a text source into the property.
  const expression = sort === 'text' && regex === '' ? property : regex;
  const pattern = expression === '' ? null : compilePattern(expression, hide);
  if (typeof pattern === 'string') return pattern;
  const path = sort === 'json' ? compilePath(property, hide) : null;
  if (typeof path === 'string') return path;
  const passesIfAbsent = settings.passesIfAbsent !== false;
  const shown = pattern === null ? '' : expression;
  return { source, comparison, property, target, regex: shown, path, pattern, passesIfAbsent };
}

function isNumber(text: string): boolean {
  return parseDecimal(text) !== null;
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
    if (compiledPaths.size >= maxCompiledPaths) compiledPaths.clear();
    compiledPaths.set(source, path);
    return path;
  } catch (error) {
    const shown = hide(source);
    // Parser messages quote parts of the path, and masking cannot recognize part of a secret.
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

/** `any(…)` and `count(…)` set the match mode. By default every match must hold. */
function readPath(source: string): JsonPath {
  const [, mode, inner = source] = /^(any|count)\((.*)\)$/s.exec(source) ?? [];
  const query = paths.compile(inner.trim() === '' ? '$' : inner.trim());
  if (mode === 'count') return { query, mode };
  return { query, mode: mode === 'any' ? 'any' : query.singularQuery() ? 'one' : 'every' };
}
