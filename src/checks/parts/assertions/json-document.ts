// Parses JSON with exact numbers and limited depth.
import type { JsonValue } from '#domain/json.ts';
import { parseDecimal, isExact, plainNumber } from './decimal.ts';

/** A number that does not fit a double, or has an exponent, as written. */
export class LongNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** JSON with exact numbers; includes every `JsonValue`. */
export type ExactValue =
  | null
  | boolean
  | number
  | string
  | LongNumber
  | readonly ExactValue[]
  | { readonly [key: string]: ExactValue };

/** A document for JSON paths, and with exact numbers. They are the same if all numbers fit doubles. */
export interface JsonDocument {
  readonly plain: JsonValue;
  readonly exact: () => ExactValue;
}

/** Maximum nesting depth. */
export const maxDepth = 200;

/** Why a text is not a document, in words that follow "but". */
export class JsonProblem extends Error {
  override name = 'JsonProblem';
}

/** Matches numbers that may not fit a double or have an exponent. */
const longLiteral = /(?:^|[:[,\s])-?(?:\d[\d.]{15}|\d[\d.]*[eE])/;

/** @throws {JsonProblem} */
export function parseJson(text: string): JsonDocument {
  if (isTooDeep(text)) throw new JsonProblem(`the JSON is nested more than ${maxDepth} levels deep`);
  try {
    const plain = JSON.parse(text) as JsonValue;
    let exact: ExactValue | undefined = longLiteral.test(text) ? undefined : plain;
    // Several times slower, so only if a number is compared.
    return { plain, exact: () => (exact ??= JSON.parse(text, asWritten) as ExactValue) };
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonProblem('the body is not JSON');
    throw error;
  }
}

function asWritten(this: unknown, _key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  const written = /[eE]/.test(source) ? null : parseDecimal(source);
  return written !== null && isExact(written) ? value : new LongNumber(source);
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isInText) {
      if (code === backslash) index++;
      else if (code === quote) isInText = false;
    } else if (code === quote) isInText = true;
    else if (code === openList || code === openObject) {
      if (++depth > maxDepth) return true;
    } else if (code === closeList || code === closeObject) depth--;
  }
  return false;
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [34, 92, 91, 93, 123, 125];

/** Returns the value at a location. */
export function valueAt(document: ExactValue, location: readonly (string | number)[]): ExactValue | undefined {
  let value: ExactValue | undefined = document;
  for (const step of location) {
    if (typeof value !== 'object' || value === null || value instanceof LongNumber) return undefined;
    value = (value as Readonly<Record<string | number, ExactValue>>)[step];
  }
  return value;
}

/** The beginning of a value as JSON, or of a text, slightly longer than `max` characters for any size. */
export function preview(value: ExactValue, max: number): string {
  if (typeof value === 'string') return value.slice(0, max);
  const parts: string[] = [];
  let left = max;
  const write = (text: string): void => {
    parts.push(text);
    left -= text.length;
  };
  const visit = (item: ExactValue): void => {
    if (left <= 0) return;
    if (item instanceof LongNumber) write(item.source.slice(0, left));
    else if (typeof item === 'string') write(JSON.stringify(item.slice(0, left)));
    else if (typeof item === 'number') write(plainNumber(item));
    else if (typeof item !== 'object' || item === null) write(String(item));
    else visitMembers(item, isList(item));
  };
  const visitMembers = (members: object, isOfList: boolean): void => {
    let [opening, closing] = isOfList ? ['[', ']'] : ['{', '}'];
    write(opening);
    opening = '';
    for (const key in members) {
      if (left <= 0) break;
      write(opening === '' ? '' : ',');
      opening = ',';
      if (!isOfList) write(`${JSON.stringify(key.slice(0, left))}:`);
      visit((members as Readonly<Record<string, ExactValue>>)[key] ?? null);
    }
    write(closing);
  };
  visit(value);
  return parts.join('');
}

export function isList(value: ExactValue | undefined): value is readonly ExactValue[] {
  return Array.isArray(value);
}
