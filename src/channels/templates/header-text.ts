/** A header's value is one line: what a variable brings along of line breaks and control characters becomes a space. */
export function headerText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must go
  return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f]+/g, ' ').trim();
}
