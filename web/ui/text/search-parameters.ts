// Search parameters of the URL, which are untrusted input.

/** A text parameter of the parsed search; the router turns digits into numbers. */
export function textParameter(search: Readonly<Record<string, unknown>>, name: string): Record<string, string> {
  const value = search[name];
  if (typeof value === 'number') return { [name]: String(value) };
  return typeof value === 'string' && value !== '' ? { [name]: value.slice(0, 200) } : {};
}
