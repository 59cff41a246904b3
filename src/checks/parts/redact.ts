// The one redaction point of a probe: what may not be shown leaves it as asterisks, whoever sent it.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { createMasker } from '#lib/text-masker.ts';

export const mask = '********';

/** Takes the hidden values out of texts; `none` when there is nothing to hide, so that it costs nothing. */
export interface Redactor {
  readonly none: boolean;
  /** The longest text that is hidden, in characters: how far beyond a cut one must look. */
  readonly longest: number;
  /** Characters of all texts that are hidden. */
  readonly size: number;
  /** What it was made of. */
  readonly values: readonly string[];
  readonly text: (text: string) => string;
  /** All texts that it takes out, for another masker. */
  readonly forms: readonly string[];
  /** Every text in it, names of fields included. */
  readonly json: (value: JsonObject) => JsonObject;
}

/** Shorter values hide nothing worth hiding and would blank every other word. */
const shortest = 3;
/** As `\u003d` has, characters. */
const longestEscape = 6;

/** A redactor of the values themselves and of the forms they take in a URL, a form, JSON, HTML and base64. */
export function createRedactor(values: readonly string[]): Redactor {
  if (values.length === 0) return hidesNothing;
  // Headers and query parameters are trimmed before they are sent.
  const both = values.flatMap((value) => [value, value.trim()]);
  const forms = new Set(both.filter((value) => value.length >= shortest).flatMap(formsOf));
  if (forms.size === 0) return hidesNothing;
  const text = createMasker(forms, mask);
  const lengths = [...forms].map(({ length }) => length);
  // Each character of a value may be escaped.
  const escaped = both.map(({ length }) => length * longestEscape);
  return {
    none: false,
    longest: [...lengths, ...escaped].reduce((most, length) => Math.max(most, length), 0),
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
    // As it stands in an address that nobody encoded; one that lost something there is another text.
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
