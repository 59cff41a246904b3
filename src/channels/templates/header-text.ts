// Header values from templates.

/** Replaces line breaks and control characters by spaces, because a header value is a single line. */
export function headerText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must go
  return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f]+/g, ' ').trim();
}
