// Whether a value from an answer compares to a target as an assertion says. Targets are texts, values are JSON.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Comparison } from './assertion.ts';

/** A value from an answer; undefined = there is none. */
export type Observed = JsonValue | undefined;

const rules: Readonly<Record<Comparison, (value: Observed, target: string) => boolean>> = {
  EQUALS: equals,
  NOT_EQUALS: (value, target) => !equals(value, target),
  HAS_KEY: hasKey,
  NOT_HAS_KEY: (value, target) => !hasKey(value, target),
  HAS_VALUE: hasValue,
  NOT_HAS_VALUE: (value, target) => !hasValue(value, target),
  IS_EMPTY: isEmpty,
  NOT_EMPTY: (value) => !isEmpty(value),
  GREATER_THAN: (value, target) => size(value) > Number(target),
  LESS_THAN: (value, target) => size(value) < Number(target),
  CONTAINS: contains,
  NOT_CONTAINS: (value, target) => !contains(value, target),
  IS_NULL: (value) => value === null || value === undefined,
  NOT_NULL: (value) => value !== null && value !== undefined,
};

/**
 * Whether the comparison holds. A negated comparison holds exactly when its positive one does not, so an absent value
 * equals nothing, contains nothing, has no key, is empty and is null.
 */
export function holds(comparison: Comparison, value: Observed, target: string): boolean {
  return rules[comparison](value, target);
}

/** A text equals itself, a number its figure, true, false and null their words, a list or object the same JSON. */
function equals(value: Observed, target: string): boolean {
  if (value === undefined) return false;
  if (typeof value === 'string') return value === target;
  if (typeof value === 'number') return target.trim() !== '' && Number(target) === value;
  if (typeof value === 'boolean' || value === null) return String(value) === target.trim();
  try {
    return isDeepStrictEqual(value, JSON.parse(target));
  } catch {
    return false;
  }
}

function hasKey(value: Observed, key: string): boolean {
  return (
    typeof value === 'object' && value !== null && Object.hasOwn(value, key) && !(isList(value) && key === 'length')
  );
}

/** A value by itself counts as a list of one: a JSON path that selects many may happen to find one. */
function hasValue(value: Observed, target: string): boolean {
  if (typeof value !== 'object' || value === null) return equals(value, target);
  return Object.values<JsonValue>(value).some((item) => equals(item, target));
}

function isEmpty(value: Observed): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The figure that greater and less look at: a number, a text that is one, the length of a list; otherwise NaN. */
function size(value: Observed): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.trim() === '' ? Number.NaN : Number(value);
  return isList(value) ? value.length : Number.NaN;
}

/** A text holds the target, a list has it as an item, an object has it as a key. */
function contains(value: Observed, target: string): boolean {
  if (value === undefined || value === null) return false;
  if (isList(value)) return value.some((item) => equals(item, target));
  if (typeof value === 'object') return Object.hasOwn(value, target);
  return String(value).includes(target);
}

function isList(value: Observed | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
