// Headers and bodies of HTTP as text. Both are untrusted.

/** Values by name. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** JSON with indentation; anything else unchanged. */
export function prettyBody(body: string): string {
  const start = body.trimStart()[0];
  if (start !== '{' && start !== '[') return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Names and values, a line for each value. */
export function headerLines(headers: Headers): readonly (readonly [name: string, value: string])[] {
  return Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const));
}
