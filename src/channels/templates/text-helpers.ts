// Helpers that return text and values (decisions: Helper set, Semantics of a helper).
import type { Scope, TextHelper, ValueHelper } from './helper.ts';

/** Text form of a value: empty if missing, comma-separated for arrays. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return '[object Object]';
}

/** Approximate length of a value as text. Cheap. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let size = 0;
  for (const item of Object.values(value)) size += 1 + sizeOf(item);
  return size;
}

const special = /[&<>"'`=]/;
const entities = new Map(
  Object.entries({
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#x27;',
    '`': '&#x60;',
    '=': '&#x3D;',
  }).map(([char, entity]) => [char.charCodeAt(0), entity] as const),
);

/** Escapes HTML like Handlebars. */
export function escaped(text: string): string {
  if (!special.test(text)) return text;
  let made = '';
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const entity = code > highestSpecial ? undefined : entities.get(code);
    if (entity === undefined) continue;
    made += text.slice(from, i) + entity;
    from = i + 1;
  }
  return made + text.slice(from);
}

const highestSpecial = '`'.charCodeAt(0);

/** Length of a text after escaping, without escaping it. */
export function escapedLength(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= highestSpecial) length += (entities.get(code)?.length ?? 1) - 1;
  }
  return length;
}

/** Whether a text argument was given. Empty text counts as missing, as in the common helper library. */
function isGiven(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function onText(change: (text: string) => string): TextHelper {
  return {
    kind: 'text',
    least: 1,
    value: ([text], scope) => {
      if (typeof text !== 'string') return '';
      scope.handle(text.length);
      return change(text);
    },
  };
}

function verbatim(print: (value: unknown) => string): TextHelper {
  return {
    kind: 'text',
    least: 1,
    verbatim: true,
    value: ([value], scope) => {
      scope.handle(sizeOf(value));
      return print(value);
    },
  };
}

/** Truncates text to at most `length` UTF-16 units without splitting a surrogate pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function truncate([text, length, suffix]: readonly unknown[], scope: Scope): string {
  if (typeof text !== 'string') return '';
  scope.handle(text.length);
  const max = Number(length);
  if (!(text.length > max)) return text;
  const end = typeof suffix === 'string' ? suffix : '';
  return cut(cut(text, Math.max(0, max - end.length)) + end, Math.max(0, max));
}

function replace([text, from, to]: readonly unknown[], scope: Scope): string {
  if (typeof text !== 'string') return '';
  if (!isGiven(from)) return text;
  scope.handle(text.length);
  const parts = text.split(from);
  const by = typeof to === 'string' ? to : '';
  // Each part costs more than its characters.
  scope.handle(parts.length * (pieceCost + by.length));
  return parts.join(by);
}

/** Cost of creating a list item, in characters. */
const pieceCost = 8;

function join([list, separator]: readonly unknown[], scope: Scope): string {
  if (typeof list === 'string') return list;
  if (!Array.isArray(list)) return '';
  const between = isGiven(separator) ? separator : ', ';
  scope.handle(sizeOf(list) + list.length * (pieceCost + between.length));
  return list.map(textOf).join(between);
}

function split([text, separator]: readonly unknown[], scope: Scope): unknown {
  if (typeof text !== 'string') return '';
  scope.handle(text.length);
  const parts = text.split(isGiven(separator) ? separator : ',');
  scope.handle(parts.length * pieceCost);
  return parts;
}

function lengthOf([value]: readonly unknown[]): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** Returns the value of the first tag `key:value` or `key=value`, or the fallback. */
function tagValue([tags, key, fallback]: readonly unknown[], scope: Scope): unknown {
  if (Array.isArray(tags) && typeof key === 'string') {
    scope.handle(tags.length * pieceCost);
    for (const tag of tags) {
      if (typeof tag !== 'string' || !tag.startsWith(key)) continue;
      const mark = tag.charAt(key.length);
      if (mark === ':' || mark === '=') return tag.slice(key.length + 1);
    }
  }
  return fallback ?? '';
}

function value(least: number, make: ValueHelper['value']): ValueHelper {
  return { kind: 'value', least, value: make };
}

// oxlint-disable-next-line no-control-regex -- control characters are among what JSON escapes
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;

/** JSON-encodes a text. Most texts need no escaping, and checking is cheaper. */
function quoted(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Text and value helpers by name. Values of an unsuitable type print nothing, so that alerts are never lost. */
export const textHelpers: Readonly<Record<string, TextHelper | ValueHelper>> = {
  uppercase: onText((text) => text.toUpperCase()),
  lowercase: onText((text) => text.toLowerCase()),
  capitalize: onText((text) => text.charAt(0).toUpperCase() + text.slice(1)),
  trim: onText((text) => text.trim()),
  json: verbatim((any) => (typeof any === 'string' ? quoted(any) : (JSON.stringify(any) ?? 'null'))),
  jsonString: verbatim((any) => quoted(textOf(any)).slice(1, -1)),
  urlencode: verbatim((any) => encodeURIComponent(textOf(any).toWellFormed())),
  truncate: value(2, truncate),
  replace: value(2, replace),
  split: value(1, split),
  join: value(1, join),
  length: value(1, lengthOf),
  tagValue: value(2, tagValue),
  default: value(1, (args) => args.find((any) => any !== undefined && any !== null) ?? ''),
};

/** Replaces line breaks and control characters by spaces, because a header value is a single line. */
export function headerText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must go
  return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f]+/g, ' ').trim();
}
