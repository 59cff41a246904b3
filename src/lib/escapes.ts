// Decodes JSON, HTML and URL escapes in a text, and maps positions back to the original.

/** A text with one layer of escapes decoded. */
export interface Decoded {
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
