// All helpers of alert templates. Nothing else can be called (decisions: Helper set).
import type { BlockHelper, Helper, ValueHelper, Comparison, Hash } from './helper.ts';
import { textHelpers, textOf } from './text-helpers.ts';
import { timeHelpers } from './time-helpers.ts';

const falseWords = new Set(['none', 'nil', 'nope', 'no', 'nada', '0', 'false']);

function isFalsey(value: unknown): boolean {
  if (!value) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object') return Object.keys(value).length === 0;
  return typeof value === 'string' && falseWords.has(value.toLowerCase());
}

/** A finite number, also from text. */
function asNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function isEven(value: unknown): boolean {
  const number = asNumber(value);
  return number !== null && number % 2 === 0;
}

function isOdd(value: unknown): boolean {
  const number = asNumber(value);
  return number !== null && Number.isInteger(number) && number % 2 !== 0;
}

function contains(collection: unknown, value: unknown, from: unknown): boolean {
  const start = typeof from === 'number' ? from : undefined;
  if (value === undefined || value === null) return false;
  if (Array.isArray(collection)) return collection.indexOf(value, start ?? 0) !== -1;
  if (typeof collection !== 'string' || (typeof value === 'object' && !Array.isArray(value))) return false;
  return collection.indexOf(textOf(value), start) !== -1;
}

function has(value: unknown, pattern: unknown): boolean {
  if (typeof pattern !== 'string' || pattern === '') return false;
  if (typeof value === 'string' || Array.isArray(value)) return value.includes(pattern);
  return typeof value === 'object' && value !== null && Object.hasOwn(value, pattern);
}

type Operator = (a: unknown, b: unknown) => boolean;

const operators: Readonly<Record<string, Operator>> = {
  // oxlint-disable-next-line eqeqeq -- the operator in the template
  '==': (a, b) => a == b,
  '===': (a, b) => a === b,
  // oxlint-disable-next-line eqeqeq -- the operator in the template
  '!=': (a, b) => a != b,
  '!==': (a, b) => a !== b,
  '<': (a, b) => (a as number) < (b as number),
  '>': (a, b) => (a as number) > (b as number),
  '<=': (a, b) => (a as number) <= (b as number),
  '>=': (a, b) => (a as number) >= (b as number),
  typeof: (a, b) => typeof a === b,
};

/** Applies an operator. Incomparable values (objects without a text form) compare false. */
function applies(operator: string, a: unknown, b: unknown): boolean {
  try {
    return Object.hasOwn(operators, operator) ? (operators[operator]?.(a, b) ?? false) : false;
  } catch {
    return false;
  }
}

/** Compares two values; the second may be given as `compare=…`. */
function pair(operator: string): Comparison {
  return {
    kind: 'comparison',
    least: 1,
    holds: (args, hash) => applies(operator, args[0], args.length > 1 ? args[1] : hash['compare']),
  };
}

function comparison(least: number, holds: (args: readonly unknown[], hash: Hash) => boolean): Comparison {
  return { kind: 'comparison', least, holds };
}

function operatorFault(literals: readonly unknown[]): string | null {
  const operator = literals[1];
  if (typeof operator !== 'string' || Object.hasOwn(operators, operator)) return null;
  return `compare has no operator "${operator}": use ${Object.keys(operators).join(' ')}`;
}

/** Comparison helpers by name. Values of an unsuitable type compare false, so that alerts are never lost. */
export const comparisonHelpers: Readonly<Record<string, Comparison>> = {
  and: comparison(0, (args) => args.every(Boolean)),
  or: comparison(0, (args) => args.some(Boolean)),
  not: comparison(1, (args) => !args[0]),
  neither: comparison(2, (args) => !args[0] && !args[1]),
  eq: pair('==='),
  is: pair('=='),
  isnt: pair('!='),
  gt: pair('>'),
  gte: pair('>='),
  lt: pair('<'),
  lte: pair('<='),
  unlessEq: pair('!=='),
  unlessGt: pair('<='),
  unlessGteq: pair('<'),
  unlessLt: pair('>='),
  unlessLteq: pair('>'),
  compare: { ...comparison(3, ([a, operator, b]) => applies(String(operator), a, b)), fault: operatorFault },
  contains: comparison(2, (args) => contains(args[0], args[1], args[2])),
  has: comparison(2, (args) => has(args[0], args[1])),
  isTruthy: comparison(1, (args) => !isFalsey(args[0])),
  isFalsey: comparison(1, (args) => isFalsey(args[0])),
  ifEven: comparison(1, (args) => isEven(args[0])),
  ifOdd: comparison(1, (args) => isOdd(args[0])),
  ifNth: comparison(2, (args) => {
    const a = asNumber(args[0]);
    const b = asNumber(args[1]);
    return a !== null && b !== null && b % a === 0;
  }),
  startsWith: comparison(2, ([prefix, text]) => typeof text === 'string' && text.startsWith(String(prefix))),
};

function block(least: number, max: number): BlockHelper {
  return { kind: 'block', least, max };
}

/** An array item, a character or a variable by name. Own properties only. */
const lookup: ValueHelper = {
  kind: 'value',
  least: 2,
  value: ([from, key]) => {
    if (from === undefined || from === null || (typeof key !== 'string' && typeof key !== 'number')) return undefined;
    const holder = Object(from) as Record<string, unknown>;
    return Object.hasOwn(holder, key) ? holder[key] : undefined;
  },
};

export const helpers: ReadonlyMap<string, Helper> = new Map<string, Helper>([
  ['if', block(1, 1)],
  ['unless', block(1, 1)],
  ['each', block(1, 1)],
  ['with', block(1, 1)],
  ['lookup', lookup],
  ...Object.entries(comparisonHelpers),
  ...Object.entries(textHelpers),
  ...Object.entries(timeHelpers),
]);

/** Per-delivery values whose names start with `$`. */
export const dollarNames = ['$UUID', '$RANDOM_NUMBER'] as const;
