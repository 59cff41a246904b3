// Text of servers and targets for a terminal: it is untrusted and could contain escape sequences.

/** Makes control characters visible, except tab and line feed. */
export function withoutControls(text: string): string {
  return text.replace(
    // oxlint-disable-next-line no-control-regex -- control characters are what it replaces
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same on one line: each run of white space becomes a space. */
export function oneLine(text: string): string {
  return withoutControls(text.replaceAll(/\s+/g, ' ').trim());
}

/** A value as JSON that is safe on a terminal. @param indent spaces; 0 = one line */
export function safeJson(value: unknown, indent = 0): string {
  return withoutControls(JSON.stringify(value, null, indent));
}
