// Hides many texts, and very long ones, in a text: without regular expressions, which take memory by their size and have a limit.
import { type Decoded, decodeEscapes } from './escapes.ts';

/** Characters by which a very long text is found: of what follows them as much is hidden as is of it. */
const mostCompared = 8192;
/** Texts are looked up by their first characters: as many of these as they have. */
const keyLengths = [8, 3, 1];
/** Escapes within escapes that are decoded, such as a URL in HTML in JSON. */
const mostLayers = 5;
/** A decoded form that is shorter would hide every other word. */
const shortestDecoded = 3;

/**
 * Replaces each of the texts by the mask, in any case: names of headers and hosts are written in lower case. Texts that
 * overlap are hidden together, so that none leaves its rest behind. A text is recognised with any of its characters
 * escaped as JSON, HTML and URLs do, in any mixture.
 *
 * @param texts none empty
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

  /** How far what begins there is to be hidden; 0 = nothing begins there. */
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

/** The start and the end of what is to be hidden. */
type Span = readonly [number, number];

/** Adds a span that starts no earlier than the last one; those that overlap become one. */
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
    if (layers.length === mostLayers) break;
  }
  return layers;
}

/** Where a span of a layer stands in the text that nothing of is decoded. */
function originalSpan([start, end]: Span, layers: readonly Decoded[], index: number): Span {
  let [first, last] = [start, end - 1];
  for (let layer = index; layer >= 0; layer--) {
    first = layers[layer]?.startOf(first) ?? first;
    last = (layers[layer]?.endOf(last) ?? last + 1) - 1;
  }
  return [first, last + 1];
}

/** A text itself, and as it stands in a text whose own escapes are decoded, with the spaces of forms, too. */
function spellingsOf(text: string): string[] {
  const decoded = layersOf(text)
    .map((layer) => layer.text)
    .filter(({ length }) => length >= shortestDecoded);
  const all = [text, ...decoded];
  return [...all, ...all.filter((each) => each.includes(' ')).map((each) => each.replaceAll(' ', '+'))];
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
