// Reading settings of checks: anything of a wrong type counts as absent, because the wire schema has refused it before.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { AssertionSettings } from './assertions/assertion.ts';

/** A text; numbers and booleans as they are written, everything else ''. */
export function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? `${value}` : '';
}

/** A number above 0; 0 and absent mean the default: clients send 0 for what they did not set. */
export function positive(value: JsonValue | undefined, fallback: number): number {
  return typeof value === 'number' && value > 0 ? value : fallback;
}

/** An object; {} for everything else. */
export function object(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The objects of a list. */
export function list(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item: JsonValue): item is JsonObject => isObject(item)) : [];
}

/** 0 = both families. */
export function family(value: JsonValue | undefined): 0 | 4 | 6 {
  return value === 'IPv4' ? 4 : value === 'IPv6' ? 6 : 0;
}

/** Assertions, their words in upper case. */
export function assertions(value: JsonValue | undefined): AssertionSettings[] {
  return list(value).map(({ source, comparison, property, target, regex }) => ({
    source: text(source).toUpperCase(),
    comparison: text(comparison).toUpperCase(),
    property: text(property),
    target: text(target),
    regex: text(regex),
  }));
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
