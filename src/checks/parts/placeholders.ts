// `{{NAME}}` in the settings of a check: plain insertion, no helpers, no expressions.
import { namesIn, placeholder } from '#domain/checks/placeholder.ts';
import type { JsonValue } from '#domain/json.ts';

/** Whether a text has a placeholder. */
export function hasPlaceholder(text: string): boolean {
  return text.includes('{{') && text.search(placeholder) >= 0;
}

/**
 * A text with its placeholders filled in, once: what a value brings in is not looked at again.
 *
 * @param missing gathers the names that nobody defined; they become empty text
 * @param encode applied to each value, where the place asks for it (a form field)
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

/** The same, but a placeholder of a name that nobody defined stays as it is. */
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

/** The first name that a text has a placeholder of; null = it has none. */
export function firstPlaceholder(text: string): string | null {
  return namesIn(text)[0] ?? null;
}

/** A variable that settings use, and where. */
export interface VariableUse {
  readonly path: string;
  readonly name: string;
}

/** Every use in the texts of a value. */
export function usesIn(value: JsonValue | undefined, path: string): VariableUse[] {
  if (typeof value === 'string') return namesIn(value).map((name) => ({ path, name }));
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).flatMap((item, index) => usesIn(item, `${path}[${index}]`));
  }
  return Object.entries(value).flatMap(([key, field]) => usesIn(field, `${path}.${key}`));
}
