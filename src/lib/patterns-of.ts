// Finds many texts, and very long ones, in a text.

/** Characters by which a very long text is found: what follows them is hidden unread, as far as it may be of it. */
const mostLiteral = 8192;
/** Characters of a pattern: there are patterns that are too large to be made. */
const mostPattern = 16_384;

/**
 * Patterns that find the texts, in any case: names of headers and hosts are written in lower case. To be used one after the
 * other.
 *
 * @param ordered none empty, the longest first: one that holds another must not leave its rest behind
 */
export function patternsOf(ordered: readonly string[]): RegExp[] {
  const patterns: RegExp[] = [];
  let together: string[] = [];
  let length = 0;
  const make = (): void => {
    if (together.length > 0) patterns.push(new RegExp(together.join('|'), 'gi'));
    together = [];
    length = 0;
  };
  for (const text of ordered) {
    const found = text.slice(0, mostLiteral).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    const rest = text.length - mostLiteral;
    const source = rest > 0 ? `${found}[^]{0,${rest}}` : found;
    if (length + source.length > mostPattern) make();
    together.push(source);
    length += source.length;
  }
  make();
  return patterns;
}
