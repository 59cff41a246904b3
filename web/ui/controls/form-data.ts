// The text fields of a form.

/** Values by name; files are omitted. */
export function textFields(form: HTMLFormElement): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.set(name, value);
  return fields;
}
