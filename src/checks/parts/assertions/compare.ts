// Compares a value from a response with a target. Targets are text, values are JSON.
import type { Comparison } from './sources.ts';
import { compareDecimals, type Decimal, parseDecimal, isExact, plainNumber } from './decimal.ts';
import { type ExactValue, isList, LongNumber, parseJson } from './json-document.ts';

/** A value from a response, or undefined. */
export type Observed = ExactValue | undefined;

/** A target: text, and its meaning as a number and as JSON, parsed once. */
export interface Target {
  readonly text: string;
  /** null if it is not a number. */
  readonly number: Decimal | null;
  /** As a double; NaN if it does not fit exactly. */
  readonly double: number;
  /** Arrays and objects only, otherwise null. */
  readonly json: () => ExactValue | null;
}

export function createTarget(text: string): Target {
  const number = parseDecimal(text);
  let json: ExactValue | null | undefined;
  return {
    text,
    number,
    double: number !== null && isExact(number) ? Number(text) : Number.NaN,
    json: () => (json === undefined ? (json = structureIn(text)) : json),
  };
}

function structureIn(text: string): ExactValue | null {
  try {
    const json = parseJson(text).exact();
    return typeof json === 'object' ? json : null;
  } catch {
    return null;
  }
}

const rules: Readonly<Record<Comparison, (value: Observed, target: Target) => boolean>> = {
  EQUALS: equals,
  NOT_EQUALS: (value, target) => !equals(value, target),
  HAS_KEY: hasKey,
  NOT_HAS_KEY: (value, target) => !hasKey(value, target),
  HAS_VALUE: hasValue,
  NOT_HAS_VALUE: (value, target) => !hasValue(value, target),
  IS_EMPTY: isEmpty,
  NOT_EMPTY: (value) => !isEmpty(value),
  GREATER_THAN: (value, target) => order(value, target) > 0,
  LESS_THAN: (value, target) => order(value, target) < 0,
  CONTAINS: contains,
  NOT_CONTAINS: (value, target) => !contains(value, target),
  IS_NULL: (value) => value === null || value === undefined,
  NOT_NULL: (value) => value !== null && value !== undefined,
};

/**
 * Evaluates a comparison. A negated comparison is the exact opposite of the positive one, also for an absent value,
 * which equals nothing, contains nothing, has no key, is empty and is null.
 */
export function holds(comparison: Comparison, value: Observed, target: Target): boolean {
  return rules[comparison](value, target);
}

/** Compares text by text, numbers by value, true, false and null by name, arrays and objects as JSON. */
function equals(value: Observed, target: Target): boolean {
  if (value === undefined) return false;
  if (typeof value === 'string') return value === target.text;
  if (value === target.double) return true;
  const number = parseNumber(value);
  if (number !== null) return target.number !== null && compareDecimals(number, target.number) === 0;
  if (typeof value === 'boolean' || value === null) return String(value) === target.text.trim();
  const json = target.json();
  return json !== null && isSame(value, json);
}

/** A number as written. */
function parseNumber(value: ExactValue): Decimal | null {
  if (typeof value === 'number') return parseDecimal(String(value));
  return value instanceof LongNumber ? parseDecimal(value.source) : null;
}

/** Depth is limited, so this terminates within the stack. */
function isSame(one: ExactValue, other: ExactValue): boolean {
  if (one === other) return true;
  // Both are exact doubles that differ.
  if (typeof one === 'number' && typeof other === 'number') return false;
  const [first, second] = [parseNumber(one), parseNumber(other)];
  if (first !== null || second !== null) {
    return first !== null && second !== null && compareDecimals(first, second) === 0;
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (isList(one) || isList(other)) {
    if (!isList(one) || !isList(other) || one.length !== other.length) return false;
    return one.every((item, index) => isSame(item, other[index] ?? null));
  }
  const keys = Object.keys(one);
  const [ofOne, ofOther] = [one, other] as [Members, Members];
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSame(ofOne[key] ?? null, ofOther[key] ?? null));
}

type Members = Readonly<Record<string, ExactValue>>;

function hasKey(value: Observed, { text }: Target): boolean {
  return isStructure(value) && Object.hasOwn(value, text) && !(isList(value) && text === 'length');
}

function isStructure(value: Observed): value is readonly ExactValue[] | Members {
  return typeof value === 'object' && value !== null && !(value instanceof LongNumber);
}

/** A single value counts as a list of one. */
function hasValue(value: Observed, target: Target): boolean {
  if (!isStructure(value)) return equals(value, target);
  return Object.values<ExactValue>(value).some((item) => equals(item, target));
}

function isEmpty(value: Observed): boolean {
  if (value === undefined || value === null || value === '') return true;
  return isStructure(value) && Object.keys(value).length === 0;
}

/** Compares a number, a numeric text or the length of a list with the target; NaN for anything else. */
function order(value: Observed, { number }: Target): number {
  const own =
    typeof value === 'string'
      ? parseDecimal(value)
      : isList(value)
        ? parseDecimal(String(value.length))
        : parseNumber(value ?? null);
  return own === null || number === null ? Number.NaN : compareDecimals(own, number);
}

/** Whether a text contains the target, a list has it as an item, or an object has it as a key. */
function contains(value: Observed, target: Target): boolean {
  if (value === undefined || value === null) return false;
  if (value instanceof LongNumber) return value.source.includes(target.text);
  if (isList(value)) return value.some((item) => equals(item, target));
  if (typeof value === 'object') return Object.hasOwn(value, target.text);
  return (typeof value === 'number' ? plainNumber(value) : String(value)).includes(target.text);
}
