// Hides many texts, and very long ones, in a text: without regular expressions, which take memory by their size and have a limit.

/** Characters by which a very long text is found: of what follows them as much is hidden as is of it. */
const mostCompared = 8192;
/** Texts are looked up by their first characters: as many of these as they have. */
const keyLengths = [8, 3, 1];

/**
 * Replaces each of the texts by the mask, in any case: names of headers and hosts are written in lower case. Texts that
 * overlap are hidden together, so that none leaves its rest behind.
 *
 * @param texts none empty
 */
export function createMasker(texts: Iterable<string>, mask: string): (text: string) => string {
  // Texts in lower case.
  const byKey = new Map<string, string[]>();
  const isStart = new Uint8Array(1 << 16);
  for (const text of texts) {
    const hidden = folded(text);
    const length = keyLengths.find((each) => each <= hidden.length) ?? 0;
    if (length === 0) continue;
    const key = hidden.slice(0, length);
    const others = byKey.get(key);
    if (others === undefined) byKey.set(key, [hidden]);
    else others.push(hidden);
    if (length > 1) isStart[pairAt(hidden, 0)] = 1;
    else for (let next = 0; next < 1 << 16; next++) isStart[pairOf(hidden.charCodeAt(0), next)] = 1;
  }
  const lengths = keyLengths.filter((length) => [...byKey.keys()].some((key) => key.length === length));

  /** How far what begins there is to be hidden; 0 = nothing begins there. */
  const hiddenAt = (text: string, at: number): number => {
    let longest = 0;
    for (const length of lengths) {
      for (const hidden of byKey.get(text.slice(at, at + length)) ?? [])
        longest = Math.max(longest, sharedLength(hidden, text, at));
    }
    return longest;
  };

  return (text) => {
    const lower = folded(text);
    let shown = '';
    let shownTo = 0;
    let hiddenTo = 0;
    for (let at = 0; at < lower.length; at++) {
      if (isStart[pairAt(lower, at)] === 0) continue;
      const length = hiddenAt(lower, at);
      if (length === 0) continue;
      if (at >= hiddenTo) {
        shown += text.slice(Math.max(shownTo, hiddenTo), at) + mask;
        shownTo = at;
      }
      hiddenTo = Math.max(hiddenTo, Math.min(text.length, at + length));
    }
    return hiddenTo === 0 ? text : shown + text.slice(hiddenTo);
  };
}

/** How much of a text stands there: all of it, of a very long one so much that it is recognised; otherwise 0. */
function sharedLength(hidden: string, text: string, at: number): number {
  if (hidden.length <= mostCompared) return text.startsWith(hidden, at) ? hidden.length : 0;
  if (!text.startsWith(hidden.slice(0, mostCompared), at)) return 0;
  let length = mostCompared;
  while (length < hidden.length && text.charCodeAt(at + length) === hidden.charCodeAt(length)) length++;
  return length;
}

/** Two characters as a place in a table. */
function pairAt(text: string, at: number): number {
  return pairOf(text.charCodeAt(at), at + 1 < text.length ? text.charCodeAt(at + 1) : 0);
}

function pairOf(first: number, second: number): number {
  return (first * 251 + second) & 0xffff;
}

/** In lower case, character by character where some of them would become two. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, index) => {
    const character = text.charAt(index);
    const one = character.toLowerCase();
    return one.length === 1 ? one : character;
  }).join('');
}
