// Masks secret values in everything a probe returns, wherever they come from.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { createMasker } from '#lib/text-masker.ts';

export const mask = '********';

/** Masks values in texts. Use `none` if there is nothing to mask. */
export interface Redactor {
  readonly none: boolean;
  /** Longest masked text in characters, so that callers can read beyond a cut. */
  readonly longest: number;
  /** Total characters of masked texts. */
  readonly size: number;
  readonly values: readonly string[];
  readonly text: (text: string) => string;
  /** All encoded forms of the values, for other maskers. */
  readonly forms: readonly string[];
  /** Masks every text in an object, including field names. */
  readonly json: (value: JsonObject) => JsonObject;
}

/** Shorter values would mask common words without protecting anything. */
const shortest = 3;
/** Length of `\u003d`. */
const longestEscape = 6;

/** Creates a redactor for values and their encoded forms: URL, form, JSON, HTML and base64. */
export function createRedactor(values: readonly string[]): Redactor {
  if (values.length === 0) return hidesNothing;
  // Headers and query parameters are trimmed before sending.
  const both = values.flatMap((value) => [value, value.trim()]);
  const forms = new Set(both.filter((value) => value.length >= shortest).flatMap(formsOf));
  if (forms.size === 0) return hidesNothing;
  const text = createMasker(forms, mask);
  const lengths = [...forms].map(({ length }) => length);
  // Every character may be escaped.
  const escaped = both.map(({ length }) => length * longestEscape);
  return {
    none: false,
    longest: [...lengths, ...escaped].reduce((max, length) => Math.max(max, length), 0),
    size: lengths.reduce((sum, length) => sum + length, 0),
    values,
    forms: [...forms],
    text,
    json: (value) => redactObject(value, text),
  };
}

const hidesNothing: Redactor = {
  none: true,
  longest: 0,
  size: 0,
  values: [],
  forms: [],
  text: (text) => text,
  json: (value) => value,
};

function formsOf(value: string): string[] {
  const percent = encodeURIComponent(value.toWellFormed());
  const form = new URLSearchParams({ v: value }).toString().slice(2);
  const bytes = Buffer.from(value);
  const base64 = bytes.toString('base64');
  const html = value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const named = value.replace(/[&<>"]/g, (character) => namedEntities[character] ?? character);
  const escaped = JSON.stringify(value).slice(1, -1);
  const address = URL.parse(`http://a/${value}`)?.href.slice('http://a/'.length) ?? '';
  return [
    value,
    percent,
    // Unencoded form in a URL; if it is shorter, parts were removed.
    address.length >= value.length ? address : '',
    form,
    encodeURI(value.toWellFormed()),
    escaped,
    html,
    named,
    base64,
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
  ].filter((form) => form.length >= shortest);
}

const namedEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function redactObject(value: JsonObject, text: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), redactValue(item, text)]));
}

function redactValue(value: JsonValue, text: (text: string) => string): JsonValue {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => redactValue(item, text));
  return redactObject(value, text);
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
