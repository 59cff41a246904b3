// `{{NAME}}` in the settings of a check: plain insertion, no helpers, no expressions.

const placeholder = /\{\{\{\s*([A-Za-z_$][\w$.-]*)\s*\}\}\}|\{\{\s*([A-Za-z_$][\w$.-]*)\s*\}\}/g;

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
  const found = text.match(new RegExp(placeholder.source));
  return found?.[1] ?? found?.[2] ?? null;
}
