// The one redaction point of a probe: what may not be shown leaves it as asterisks, whoever sent it.
import type { JsonObject, JsonValue } from '#domain/json.ts';

export const mask = '********';

/** Takes the hidden values out of texts; `none` when there is nothing to hide, so that it costs nothing. */
export interface Redactor {
  readonly none: boolean;
  /** The longest text that is hidden, in characters: how far beyond a cut one must look. */
  readonly longest: number;
  readonly text: (text: string) => string;
  /** All that it takes out, in whatever case it stands; the longest first. */
  readonly forms: readonly string[];
  /** Every text in it, names of fields included. */
  readonly json: (value: JsonObject) => JsonObject;
}

/** Shorter values hide nothing worth hiding and would blank every other word. */
const shortest = 3;

/** A redactor of the values themselves and of the forms they take in a URL, a form, JSON, HTML and base64. */
export function createRedactor(values: readonly string[]): Redactor {
  // Headers and query parameters are trimmed before they are sent.
  const both = values.flatMap((value) => [value, value.trim()]);
  const forms = new Set(both.filter((value) => value.length >= shortest).flatMap(formsOf));
  if (forms.size === 0) return { none: true, longest: 0, forms: [], text: (text) => text, json: (value) => value };
  const ordered = [...forms].toSorted((one, other) => other.length - one.length);
  const patterns = patternsOf(ordered);
  const text = (input: string): string => patterns.reduce((shown, pattern) => shown.replace(pattern, mask), input);
  return {
    none: false,
    longest: ordered[0]?.length ?? 0,
    forms: ordered,
    text,
    json: (value) => redactObject(value, text),
  };
}

/** Characters by which a very long form is found: what follows them is hidden unread, as far as it may be of it. */
const mostLiteral = 8192;
/** Characters of a pattern: there are patterns that are too large to be made. */
const mostPattern = 16_384;

/** Patterns that find the forms, the longest first. In any case: names of headers and hosts are written in lower case. */
function patternsOf(ordered: readonly string[]): RegExp[] {
  const patterns: RegExp[] = [];
  let together: string[] = [];
  let length = 0;
  const make = (): void => {
    if (together.length > 0) patterns.push(new RegExp(together.join('|'), 'gi'));
    together = [];
    length = 0;
  };
  for (const form of ordered) {
    const found = form.slice(0, mostLiteral).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    const rest = form.length - mostLiteral;
    const source = rest > 0 ? `${found}[^]{0,${rest}}` : found;
    if (length + source.length > mostPattern) make();
    together.push(source);
    length += source.length;
  }
  make();
  return patterns;
}

function formsOf(value: string): string[] {
  const percent = encodeURIComponent(value.toWellFormed());
  const form = new URLSearchParams({ v: value }).toString().slice(2);
  const bytes = Buffer.from(value);
  const base64 = bytes.toString('base64');
  const html = value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const named = value.replace(/[&<>"]/g, (character) => namedEntities[character] ?? character);
  const escaped = JSON.stringify(value).slice(1, -1);
  return [
    value,
    percent,
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
