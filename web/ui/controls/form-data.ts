// The text fields of a form.

/** Their values by name; files are left out. */
export function textFields(form: HTMLFormElement): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.set(name, value);
  return fields;
}
