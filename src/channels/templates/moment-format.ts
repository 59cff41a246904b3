// Formats times with tokens such as YYYY-MM-DD, in UTC and English (spec §6.3: moment).

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const dayMs = 86_400_000;

function padded(value: number, width: number): string {
  return `${value < 0 ? '-' : ''}${String(Math.abs(value)).padStart(width, '0')}`;
}

function ordinal(value: number): string {
  const tens = value % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs) + 1;
}

/** Week number and week year. The week belongs to the year of the day `anchor` days after its first day. */
function weekOf(date: Date, firstWeekday: number, anchor: number): { week: number; year: number } {
  const intoWeek = (date.getUTCDay() - firstWeekday + 7) % 7;
  const decisive = new Date(date.getTime() + (anchor - intoWeek) * dayMs);
  return { week: Math.ceil(dayOfYear(decisive) / 7), year: decisive.getUTCFullYear() };
}
// English weeks start on Sunday and week 1 contains 1 January; ISO weeks start on Monday and week 1 contains 4 January.
const englishWeek = (date: Date): { week: number; year: number } => weekOf(date, 0, 6);
const isoWeek = (date: Date): { week: number; year: number } => weekOf(date, 1, 3);

const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12;
const half = (date: Date): string => (date.getUTCHours() < 12 ? 'AM' : 'PM');
const longYear = (year: number, width: number): string => (year > 9999 ? `+${year}` : padded(year, width));
const signedYear = (year: number): string => `${year < 0 ? '-' : '+'}${padded(Math.abs(year), 6)}`;

const era = (date: Date): string => (date.getUTCFullYear() > 0 ? 'AD' : 'BC');
const eraYear = (date: Date): number => (date.getUTCFullYear() > 0 ? date.getUTCFullYear() : 1 - date.getUTCFullYear());

type Writer = (date: Date) => string | number;

const writers: Readonly<Record<string, Writer>> = {
  M: (date) => date.getUTCMonth() + 1,
  Mo: (date) => ordinal(date.getUTCMonth() + 1),
  MM: (date) => padded(date.getUTCMonth() + 1, 2),
  MMM: (date) => months[date.getUTCMonth()]?.slice(0, 3) ?? '',
  MMMM: (date) => months[date.getUTCMonth()] ?? '',
  Q: (date) => Math.floor(date.getUTCMonth() / 3) + 1,
  Qo: (date) => ordinal(Math.floor(date.getUTCMonth() / 3) + 1),
  D: (date) => date.getUTCDate(),
  Do: (date) => ordinal(date.getUTCDate()),
  DD: (date) => padded(date.getUTCDate(), 2),
  DDD: dayOfYear,
  DDDo: (date) => ordinal(dayOfYear(date)),
  DDDD: (date) => padded(dayOfYear(date), 3),
  d: (date) => date.getUTCDay(),
  do: (date) => ordinal(date.getUTCDay()),
  dd: (date) => weekdays[date.getUTCDay()]?.slice(0, 2) ?? '',
  ddd: (date) => weekdays[date.getUTCDay()]?.slice(0, 3) ?? '',
  dddd: (date) => weekdays[date.getUTCDay()] ?? '',
  e: (date) => date.getUTCDay(),
  E: (date) => date.getUTCDay() || 7,
  w: (date) => englishWeek(date).week,
  wo: (date) => ordinal(englishWeek(date).week),
  ww: (date) => padded(englishWeek(date).week, 2),
  W: (date) => isoWeek(date).week,
  Wo: (date) => ordinal(isoWeek(date).week),
  WW: (date) => padded(isoWeek(date).week, 2),
  Y: (date) => longYear(date.getUTCFullYear(), 4),
  YY: (date) => padded(Math.abs(date.getUTCFullYear()) % 100, 2),
  YYYY: (date) => longYear(date.getUTCFullYear(), 4),
  YYYYY: (date) => padded(date.getUTCFullYear(), 5),
  YYYYYY: (date) => signedYear(date.getUTCFullYear()),
  gg: (date) => padded(englishWeek(date).year % 100, 2),
  gggg: (date) => padded(englishWeek(date).year, 4),
  ggggg: (date) => padded(englishWeek(date).year, 5),
  GG: (date) => padded(isoWeek(date).year % 100, 2),
  GGGG: (date) => padded(isoWeek(date).year, 4),
  GGGGG: (date) => padded(isoWeek(date).year, 5),
  y: (date) => eraYear(date),
  yo: (date) => ordinal(eraYear(date)),
  yy: (date) => padded(eraYear(date), 2),
  yyy: (date) => padded(eraYear(date), 3),
  yyyy: (date) => padded(eraYear(date), 4),
  N: era,
  NN: era,
  NNN: era,
  NNNN: (date) => (era(date) === 'AD' ? 'Anno Domini' : 'Before Christ'),
  NNNNN: era,
  A: half,
  a: (date) => half(date).toLowerCase(),
  H: (date) => date.getUTCHours(),
  HH: (date) => padded(date.getUTCHours(), 2),
  h: hour12,
  hh: (date) => padded(hour12(date), 2),
  k: (date) => date.getUTCHours() || 24,
  kk: (date) => padded(date.getUTCHours() || 24, 2),
  m: (date) => date.getUTCMinutes(),
  mm: (date) => padded(date.getUTCMinutes(), 2),
  s: (date) => date.getUTCSeconds(),
  ss: (date) => padded(date.getUTCSeconds(), 2),
  Z: () => '+00:00',
  ZZ: () => '+0000',
  z: () => 'UTC',
  zz: () => 'Coordinated Universal Time',
  X: (date) => Math.floor(date.getTime() / 1000),
  x: (date) => date.getTime(),
};

/** Tokens that expand to other formats. */
const shorthands: Readonly<Record<string, string>> = {
  LTS: 'h:mm:ss A',
  LT: 'h:mm A',
  LLLL: 'dddd, MMMM D, YYYY h:mm A',
  LLL: 'MMMM D, YYYY h:mm A',
  LL: 'MMMM D, YYYY',
  L: 'MM/DD/YYYY',
  llll: 'ddd, MMM D, YYYY h:mm A',
  lll: 'MMM D, YYYY h:mm A',
  ll: 'MMM D, YYYY',
  l: 'M/D/YYYY',
};

const names = [...Object.keys(writers), ...Object.keys(shorthands)].sort((a, b) => b.length - a.length);
// Text in brackets is literal, a backslash escapes the next token, and repeated S is a fraction of a second.
const piece = new RegExp(String.raw`\[([^[]*)\]|\\(${names.join('|')}|S{1,9})|S{1,9}|${names.join('|')}`, 'g');

type Piece = (date: Date) => string | number;

/** A parsed format, and the words in it that are neither tokens nor bracketed text. */
interface Parsed {
  readonly pieces: readonly Piece[];
  readonly words: readonly string[];
}

function fixed(text: string): Piece {
  return () => text;
}

function fraction(digits: number): Piece {
  return (date) => padded(date.getUTCMilliseconds(), 3).padEnd(9, '0').slice(0, digits);
}

function parse(format: string): Parsed {
  const pieces: Piece[] = [];
  const words: string[] = [];
  let from = 0;
  for (const match of format.matchAll(piece)) {
    const [token, text, escaped] = match;
    if (match.index > from) pieces.push(fixed(format.slice(from, match.index)));
    words.push(...foreignWords(format, from, match.index));
    from = match.index + token.length;
    const shorthand = shorthands[token];
    if (text !== undefined || escaped !== undefined) pieces.push(fixed(text ?? escaped ?? ''));
    else if (shorthand === undefined) pieces.push(writers[token] ?? fraction(token.length));
    else pieces.push(...parse(shorthand).pieces);
  }
  if (from < format.length) pieces.push(fixed(format.slice(from)));
  words.push(...foreignWords(format, from, format.length));
  return { pieces, words };
}

/** Returns words that are not fully made of tokens. The T of ISO 8601 and the zone name UTC are allowed. */
function foreignWords(format: string, from: number, to: number): string[] {
  return [...format.slice(from, to).matchAll(/[A-Za-z]+/g)].flatMap(({ index, 0: letters }) => {
    if (['T', 'UTC', 'GMT'].includes(letters)) return [];
    const before = /[A-Za-z]*$/.exec(format.slice(Math.max(0, from + index - 32), from + index))?.[0] ?? '';
    const after = /^[A-Za-z]*/.exec(format.slice(from + index, from + index + 32))?.[0] ?? '';
    return [before + after];
  });
}

const capacity = 256;
const longest = 256;
const cache = new Map<string, Parsed>();

function parsed(format: string): Parsed {
  const known = cache.get(format);
  if (known !== undefined) return known;
  const made = parse(format);
  if (format.length > longest) return made;
  // Formats come from templates and are few. Clearing also evicts those that came from values.
  if (cache.size >= capacity) cache.clear();
  cache.set(format, made);
  return made;
}

/** Returns the first unknown word of a format, such as an unbracketed "at", or null. */
export function foreignWordIn(format: string): string | null {
  return parsed(format).words[0] ?? null;
}

/**
 * Formats a time with moment's tokens: `YYYY`, `MM`, `Do`, `dddd`, `HH`, `h`, `A`, `SSS`, `X` (unix seconds), `x` (ms),
 * `L` and its variants, `[text]`. Anything else is copied.
 */
export function formatInstant(at: number, format: string): string {
  const date = new Date(at);
  let text = '';
  for (const write of parsed(format).pieces) text += write(date);
  return text;
}
