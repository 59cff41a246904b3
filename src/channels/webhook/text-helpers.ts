// Helpers that make text and values (decisions: Helper set, Semantics of a helper).
import type { Scope, TextHelper, ValueHelper } from './helper.ts';

/** The text form of a value inside a template: nothing for a missing one, commas between the items of an array. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return '[object Object]';
}

/** Whether a text argument was given: an empty one counts as left out, as in the classic helper library. */
function isGiven(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function onText(change: (text: string) => string): TextHelper {
  return { kind: 'text', least: 1, value: ([text]) => (typeof text === 'string' ? change(text) : '') };
}

function verbatim(print: (value: unknown) => string): TextHelper {
  return {
    kind: 'text',
    least: 1,
    verbatim: true,
    value: ([value], { budget, place }) => {
      budget.handle(place, textOf(value).length);
      return print(value);
    },
  };
}

/** Text cut to `length` UTF-16 units at most, without leaving half of a character behind. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function truncate([text, length, suffix]: readonly unknown[]): string {
  if (typeof text !== 'string') return '';
  const most = Number(length);
  if (!(text.length > most)) return text;
  const end = typeof suffix === 'string' ? suffix : '';
  return cut(cut(text, Math.max(0, most - end.length)) + end, Math.max(0, most));
}

function replace([text, from, to]: readonly unknown[], { budget, place }: Scope): string {
  if (typeof text !== 'string') return '';
  if (!isGiven(from)) return text;
  const parts = text.split(from);
  const by = typeof to === 'string' ? to : '';
  budget.handle(place, text.length + parts.length * by.length);
  return parts.join(by);
}

function join([list, separator]: readonly unknown[], { budget, place }: Scope): string {
  if (typeof list === 'string') return list;
  if (!Array.isArray(list)) return '';
  const between = isGiven(separator) ? separator : ', ';
  const texts = list.map(textOf);
  budget.handle(
    place,
    texts.reduce((sum, text) => sum + text.length + between.length, 0),
  );
  return texts.join(between);
}

function split([text, separator]: readonly unknown[]): unknown {
  return typeof text === 'string' ? text.split(isGiven(separator) ? separator : ',') : '';
}

function lengthOf([value]: readonly unknown[]): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** The rest of the first tag `key:value` or `key=value`, otherwise the fallback, otherwise nothing. */
function tagValue([tags, key, fallback]: readonly unknown[]): unknown {
  if (Array.isArray(tags) && typeof key === 'string') {
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

/** The text and value helpers by name. A value of an unsuitable type prints nothing; it never breaks an alert. */
export const textHelpers: Readonly<Record<string, TextHelper | ValueHelper>> = {
  uppercase: onText((text) => text.toUpperCase()),
  lowercase: onText((text) => text.toLowerCase()),
  capitalize: onText((text) => text.charAt(0).toUpperCase() + text.slice(1)),
  trim: onText((text) => text.trim()),
  json: verbatim((any) => JSON.stringify(any) ?? 'null'),
  jsonString: verbatim((any) => JSON.stringify(textOf(any)).slice(1, -1)),
  urlencode: verbatim((any) => encodeURIComponent(textOf(any).toWellFormed())),
  truncate: value(2, truncate),
  replace: value(2, replace),
  split: value(1, split),
  join: value(1, join),
  length: value(1, lengthOf),
  tagValue: value(2, tagValue),
  default: value(1, (args) => args.find((any) => any !== undefined && any !== null) ?? ''),
};
