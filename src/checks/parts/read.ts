// Reads check settings. Mistyped values count as missing, because the wire schema rejects them.
import type { JsonObject, JsonValue } from '#domain/json.ts';

/** Returns a text; numbers and booleans are converted, anything else is ''. */
export function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? `${value}` : '';
}

/** Returns an object, or {}. */
export function object(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the objects of a list. */
export function list(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item: JsonValue): item is JsonObject => isObject(item)) : [];
}

/** 0 = both families. */
export function family(value: JsonValue | undefined): 0 | 4 | 6 {
  return value === 'IPv4' ? 4 : value === 'IPv6' ? 6 : 0;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns a number, or 0. */
export function number(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** Returns a text, or null. */
export function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
