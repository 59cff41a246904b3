// Masks many and very long texts in a text, without regular expressions, whose size is limited.

/** A text with one layer of escapes decoded. */
interface Decoded {
  readonly text: string;
  /** Start in the original of the character at a position. */
  readonly startOf: (at: number) => number;
  /** End in the original of the character at a position. */
  readonly endOf: (at: number) => number;
}

interface Escape {
  /** Length of the escape in characters. */
  readonly length: number;
  readonly character: string;
}

const opening = /[\\&%]/g;
const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const entityText = /&(?:#(\d{1,8}|x[\da-f]{1,8});?|([a-z][a-z\d]{1,9});)/iy;

/** Characters with a named entity: those in ASCII, and all of Latin-1 in order. */
const entities = new Map<string, string>([
  ['Tab', '\t'],
  ['NewLine', '\n'],
]);
const ascii =
  'amp& lt< gt> quot" apos\' sol/ bsol\\ equals= plus+ colon: semi; comma, period. num# excl! quest? dollar$ percnt% ' +
  'ast* lpar( rpar) lsqb[ rsqb] lbrack[ rbrack] lcub{ rcub} lbrace{ rbrace} verbar| vert| lowbar_ hat^ grave` commat@';
for (const pair of ascii.split(' ')) entities.set(pair.slice(0, -1), pair.slice(-1));
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml';
for (const [index, name] of latin.split(' ').entries()) entities.set(name, String.fromCharCode(160 + index));

/** Decodes one layer of escapes; null = there are none. Linear time. */
export function decodeEscapes(text: string): Decoded | null {
  // For each escape: position and length in the decoded text and in the original.
  const [places, starts, nextPlaces, nextStarts]: [number[], number[], number[], number[]] = [[], [], [], []];
  let decoded = '';
  let read = 0;
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const at = found.index;
    const escape = escapeAt(text, at);
    if (escape === null) continue;
    decoded += text.slice(read, at);
    places.push(decoded.length);
    starts.push(at);
    decoded += escape.character;
    read = at + escape.length;
    nextPlaces.push(decoded.length);
    nextStarts.push(read);
    opening.lastIndex = read;
  }
  if (places.length === 0) return null;
  decoded += text.slice(read);
  const find = (at: number, inEscape: readonly number[], shift: number): number => {
    const index = lastUpTo(places, at);
    const next = nextPlaces[index] ?? 0;
    return at < next ? (inEscape[index] ?? 0) : at - next + (nextStarts[index] ?? 0) + shift;
  };
  return { text: decoded, startOf: (at) => find(at, starts, 0), endOf: (at) => find(at, nextStarts, 1) };
}

/** Index of the last number that is at most the limit; -1 = none. */
function lastUpTo(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function escapeAt(text: string, at: number): Escape | null {
  const first = text[at];
  if (first === '&') return entityAt(text, at);
  const second = text[at + 1] ?? '';
  if (first === '%') return second === 'u' || second === 'U' ? unitAt(text, at) : bytesAt(text, at, '%');
  if (second === 'u' || second === 'U') return unitAt(text, at);
  if (second === 'x' || second === 'X') return bytesAt(text, at, '\\x');
  const control = controls[second];
  if (control !== undefined) return { length: 2, character: control };
  return second === '' || /[\da-z]/i.test(second) ? null : { length: 2, character: second };
}

function entityAt(text: string, at: number): Escape | null {
  entityText.lastIndex = at;
  const found = entityText.exec(text);
  if (found === null) return null;
  const [whole, number, name = ''] = found;
  const code = number === undefined ? Number.NaN : Number(/^x/i.test(number) ? `0${number}` : number);
  const character =
    code <= 0x10ffff ? String.fromCodePoint(code) : (entities.get(name) ?? entities.get(name.toLowerCase()));
  return character === undefined ? null : { length: whole.length, character };
}

/** `\u003d`, `\u{3d}` or `%u003d`. */
function unitAt(text: string, at: number): Escape | null {
  const found = /^(?:([\da-f]{4})|\{([\da-f]{1,6})\})/i.exec(text.slice(at + 2, at + 10));
  if (found === null) return null;
  const code = Number.parseInt(found[1] ?? found[2] ?? '', 16);
  return code > 0x10ffff ? null : { length: 2 + found[0].length, character: String.fromCodePoint(code) };
}

/** One character of escaped bytes: UTF-8, otherwise Latin-1. */
function bytesAt(text: string, at: number, prefix: string): Escape | null {
  const each = prefix.length + 2;
  const byteAt = (index: number): number => {
    const from = at + index * each;
    if (text.slice(from, from + prefix.length).toLowerCase() !== prefix) return -1;
    const digits = text.slice(from + prefix.length, from + each);
    return /^[\da-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
  };
  const lead = byteAt(0);
  if (lead === -1) return null;
  const count = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (count > 1) {
    const bytes = Array.from({ length: count }, (_, index) => byteAt(index));
    const character = bytes.includes(-1) ? '' : Buffer.from(bytes).toString('utf8');
    if (character !== '' && !character.includes('\ufffd')) return { length: count * each, character };
  }
  return { length: each, character: String.fromCharCode(lead) };
}

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
