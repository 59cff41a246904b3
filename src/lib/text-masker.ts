// Masks many and very long texts in a text, without regular expressions, whose size is limited.
import { type Decoded, decodeEscapes } from './escapes.ts';

/** Length of the prefix by which a very long text is found; the matching part after it is masked. */
const maxCompared = 8192;
/** Texts are indexed by a prefix of this length, or less if they are shorter. */
const keyLengths = [8, 3, 1];
/** Maximum number of nested escapes that are decoded, such as a URL in HTML in JSON. */
const maxLayers = 5;
/** Shorter decoded forms would mask too many words. */
const shortestDecoded = 3;

/**
 * Replaces each of the texts by the mask, case-insensitive because names of headers and hosts are lower-cased.
 * Overlapping texts are masked together, so that none leaves a rest. Recognizes texts with any characters escaped as in
 * JSON, HTML and URLs, in any mixture.
 * @param texts not empty
 */
export function createMasker(texts: Iterable<string>, mask: string): (text: string) => string {
  // Texts in lower case.
  const byKey = new Map<string, string[]>();
  const isStart = new Uint8Array(1 << 16);
  for (const text of new Set([...texts].flatMap(spellingsOf))) {
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

  /** End of the match that starts at a position; 0 = none. */
  const hiddenAt = (text: string, at: number): number => {
    let longest = 0;
    for (const length of lengths) {
      for (const hidden of byKey.get(text.slice(at, at + length)) ?? [])
        longest = Math.max(longest, sharedLength(hidden, text, at));
    }
    return longest;
  };

  const spansIn = (text: string): Span[] => {
    const spans: Span[] = [];
    const lower = folded(text);
    for (let at = 0; at < lower.length; at++) {
      if (isStart[pairAt(lower, at)] === 0) continue;
      const length = hiddenAt(lower, at);
      if (length > 0) addSpan(spans, [at, Math.min(text.length, at + length)]);
    }
    return spans;
  };

  return (text) => {
    const spans = spansIn(text);
    const layers = layersOf(text);
    for (const [index, { text: decoded }] of layers.entries()) {
      for (const span of spansIn(decoded)) spans.push(originalSpan(span, layers, index));
    }
    return spans.length === 0 ? text : withMask(text, spans, mask);
  };
}

/** Start and end of a part to mask. */
type Span = readonly [number, number];

/** Adds a span that starts no earlier than the last one; overlapping spans are merged. */
function addSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last !== undefined && span[0] < last[1]) spans[spans.length - 1] = [last[0], Math.max(last[1], span[1])];
  else spans.push(span);
}

function withMask(text: string, spans: readonly Span[], mask: string): string {
  const together: Span[] = [];
  for (const span of spans.toSorted((one, other) => one[0] - other[0])) addSpan(together, span);
  let shown = '';
  let shownTo = 0;
  for (const [start, end] of together) {
    shown += text.slice(shownTo, start) + mask;
    shownTo = end;
  }
  return shown + text.slice(shownTo);
}

/** The text with one layer of escapes decoded, with two, and so on. */
function layersOf(text: string): Decoded[] {
  const layers: Decoded[] = [];
  for (let next = decodeEscapes(text); next !== null; next = decodeEscapes(next.text)) {
    layers.push(next);
    if (layers.length === maxLayers) break;
  }
  return layers;
}

/** Maps a span in a layer back to the original text. */
function originalSpan([start, end]: Span, layers: readonly Decoded[], index: number): Span {
  let [first, last] = [start, end - 1];
  for (let layer = index; layer >= 0; layer--) {
    first = layers[layer]?.startOf(first) ?? first;
    last = (layers[layer]?.endOf(last) ?? last + 1) - 1;
  }
  return [first, last + 1];
}

/** A text itself, and its form after decoding its own escapes, including form-encoded spaces. */
function spellingsOf(text: string): string[] {
  const decoded = layersOf(text)
    .map((layer) => layer.text)
    .filter(({ length }) => length >= shortestDecoded);
  const all = [text, ...decoded];
  return [...all, ...all.filter((each) => each.includes(' ')).map((each) => each.replaceAll(' ', '+'))];
}

/** Length of the match at a position: the whole text, or the recognizable part of a very long one; otherwise 0. */
function sharedLength(hidden: string, text: string, at: number): number {
  if (hidden.length <= maxCompared) return text.startsWith(hidden, at) ? hidden.length : 0;
  if (!text.startsWith(hidden.slice(0, maxCompared), at)) return 0;
  let length = maxCompared;
  while (length < hidden.length && text.charCodeAt(at + length) === hidden.charCodeAt(length)) length++;
  return length;
}

/** Table index of two characters. */
function pairAt(text: string, at: number): number {
  return pairOf(text.charCodeAt(at), at + 1 < text.length ? text.charCodeAt(at + 1) : 0);
}

function pairOf(first: number, second: number): number {
  return (first * 251 + second) & 0xffff;
}

/** Lower-cased character by character, so that positions do not shift. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, index) => {
    const character = text.charAt(index);
    const one = character.toLowerCase();
    return one.length === 1 ? one : character;
  }).join('');
}
