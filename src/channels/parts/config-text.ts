// Reads texts of stored channel configurations.
import type { JsonObject } from '#domain/json.ts';

/** A text of a stored configuration or its secrets; '' = none. */
export function textIn(from: JsonObject, name: string): string {
  const value = from[name];
  return typeof value === 'string' ? value : '';
}
