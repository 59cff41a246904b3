// Collects all invalid fields of an input by path, with how to fix them (issue: bad input).
import { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Field path → how to fix it. */
export type Faults = Record<string, string>;

/** Maximum number of errors in a response. */
export const maxFaults = 50;

/**
 * Maximum number of members and elements of a body, over all its objects and arrays: parsing blocks the event loop in
 * proportion. A change of all checks that an account may have fits.
 */
export const maxMembers = 10_500;

/** How unknown fields are reported. */
export interface UnknownFields {
  readonly what: 'field' | 'query parameter';
  /** The known name that was probably meant; null = none. */
  readonly nearest: (name: string, known: readonly string[]) => string | null;
}

/**
 * The value parsed by its schema; undefined if it is invalid, and `faults` has the reasons: the first one for a path.
 */
export function parseReporting(schema: z.ZodType, value: unknown, faults: Faults, unknown: UnknownFields): unknown {
  const result = schema.safeParse(value, { error: namesOfFields });
  if (result.success) return result.data;
  addIssues(result.error.issues, [], faults, unknown);
  return undefined;
}

/** Gives the issue of an unknown field the known fields as its message, because the issue itself does not list them. */
const namesOfFields: z.core.$ZodErrorMap = ({ code, inst }) =>
  code === 'unrecognized_keys' && inst instanceof z.ZodObject ? Object.keys(inst.shape).join(' ') : undefined;

function addIssues(
  issues: readonly Issue[],
  above: readonly PropertyKey[],
  faults: Faults,
  unknown: UnknownFields,
): void {
  for (const issue of issues.slice(0, maxFaults)) addIssue(issue, issues, above, faults, unknown);
}

function addIssue(
  issue: Issue,
  all: readonly Issue[],
  above: readonly PropertyKey[],
  faults: Faults,
  unknown: UnknownFields,
): void {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const known = issue.message.split(' ');
    const missing = missingSiblings(issue, all);
    for (const key of issue.keys.slice(0, maxFaults)) {
      add(faults, [...path, key], () => unknownField(key, missing, known, unknown));
    }
    return;
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    addIssues(closestBranch(issue.errors), path, faults, unknown);
    return;
  }
  add(faults, path, () => sentence(issue));
}

/** Missing required fields of the object: an unknown field is probably a misspelling of one of them. */
function missingSiblings({ path }: Issue, all: readonly Issue[]): string[] {
  return all.flatMap((other) => {
    const name = other.path[path.length];
    const isSibling = other.path.length === path.length + 1 && path.every((part, index) => part === other.path[index]);
    const isMissing = other.code === 'invalid_type' && other.message.endsWith('received undefined');
    return isSibling && isMissing && typeof name === 'string' ? [name] : [];
  });
}

function unknownField(
  key: string,
  missing: readonly string[],
  known: readonly string[],
  { what, nearest }: UnknownFields,
): string {
  if (key === 'id') return 'is assigned by Tocsin: omit it';
  const meant = nearest(key, missing) ?? nearest(key, known);
  return `unknown ${what}${meant === null ? '' : `; did you mean "${meant}"?`}`;
}

/** Of a union, reports the branch that matched furthest, which is probably the intended one. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const depth = (issues: readonly Issue[]) => Math.max(...issues.map((issue) => issue.path.length));
  return branches.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
}

/** @param message called only below the limit: a client may send any number of names */
function add(faults: Faults, path: readonly PropertyKey[], message: () => string): void {
  const name = pathText(path);
  if (Object.hasOwn(faults, name) || Object.keys(faults).length >= maxFaults) return;
  // defineProperty, because the client controls the names and `__proto__` is special.
  Object.defineProperty(faults, name, { value: message(), enumerable: true, configurable: true, writable: true });
}

/** `['request', 'assertions', 0, 'source']` → `request.assertions[0].source`; long names are truncated. */
export function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'body';
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += (text === '' ? '' : '.') + String(part).slice(0, 100);
  }
  return text;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function sentence(issue: Issue): string {
  // Messages defined by a schema are complete; zod's own start like these.
  if (!/^(Invalid|Too |Unrecognized)/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? `is required: ${kinds[issue.expected] ?? issue.expected}`
        : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return size(issue.origin, issue.minimum, 'least');
    case 'too_big':
      return size(issue.origin, issue.maximum, 'most');
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `must be one of ${issue.options.map(String).join(', ')}`
        : 'matches none of the allowed forms';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.format === 'datetime'
        ? 'must be an ISO 8601 timestamp, such as 2026-01-31T12:00:00.000Z'
        : `must be a valid ${issue.format}`;
    case 'invalid_key':
    case 'invalid_element':
    case 'unrecognized_keys':
    case 'custom':
    default:
      return issue.message;
  }
}

function size(origin: string, bound: number | bigint, word: 'least' | 'most'): string {
  if (origin === 'string') {
    return word === 'least' && bound === 1 ? 'must not be empty' : `must have at ${word} ${bound} characters`;
  }
  if (origin === 'array' || origin === 'set') return `must have at ${word} ${bound} items`;
  return `must be at ${word} ${bound}`;
}
