// Replaces `{{NAME}}` in check settings. No helpers, no expressions.
import { namesIn, placeholder } from '#domain/checks/placeholder.ts';
import type { JsonValue } from '#domain/json.ts';

export function hasPlaceholder(text: string): boolean {
  return text.includes('{{') && text.search(placeholder) >= 0;
}

/**
 * Fills in placeholders once; inserted values are not expanded again.
 *
 * @param missing collects undefined names, which become empty text
 * @param encode applied to each value, for example in form fields
 */
export function fillIn(
  text: string,
  values: ReadonlyMap<string, string>,
  missing: Set<string>,
  encode: (value: string) => string = (value) => value,
): string {
  if (!text.includes('{{')) return text;
  return text.replace(placeholder, (_, triple: string | undefined, double: string | undefined) => {
    const name = triple ?? double ?? '';
    const value = values.get(name);
    if (value === undefined) missing.add(name);
    return encode(value ?? '');
  });
}

/** Fills in placeholders but keeps those of undefined names. */
export function fillKnown(
  text: string,
  values: ReadonlyMap<string, string>,
  encode: (value: string) => string = (value) => value,
): string {
  if (!text.includes('{{')) return text;
  return text.replace(placeholder, (whole: string, triple: string | undefined, double: string | undefined) => {
    const value = values.get(triple ?? double ?? '');
    return value === undefined ? whole : encode(value);
  });
}

/** Returns the name of the first placeholder, or null. */
export function firstPlaceholder(text: string): string | null {
  return namesIn(text)[0] ?? null;
}

/** A variable used by settings, and the field. */
export interface VariableUse {
  readonly path: string;
  readonly name: string;
}

/** Returns every use in the texts of a value. */
export function usesIn(value: JsonValue | undefined, path: string): VariableUse[] {
  if (typeof value === 'string') return namesIn(value).map((name) => ({ path, name }));
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).flatMap((item, index) => usesIn(item, `${path}[${index}]`));
  }
  return Object.entries(value).flatMap(([key, field]) => usesIn(field, `${path}.${key}`));
}
