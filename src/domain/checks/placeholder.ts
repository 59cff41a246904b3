// Placeholders of variables in settings.

/** Matches `{{{NAME}}}` or `{{NAME}}`; the name is in the first or second group. */
export const placeholder: RegExp = /\{\{\{\s*([A-Za-z_$][\w$.-]*)\s*\}\}\}|\{\{\s*([A-Za-z_$][\w$.-]*)\s*\}\}/g;

/** Returns the names of the placeholders in a text. */
export function namesIn(text: string): string[] {
  if (!text.includes('{{')) return [];
  return [...text.matchAll(placeholder)].map(([, triple, double]) => triple ?? double ?? '');
}
