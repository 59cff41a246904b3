// JSON of an answer, with numbers as exact as they were written, within a bound of nesting.
import type { JsonValue } from '#domain/json.ts';
import { decimalOf, isExact, plainNumber } from './decimal.ts';

/** A number that a double cannot hold, or that has an exponent, as it was written. */
export class LongNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** JSON whose numbers are exact; any `JsonValue` is one. */
export type ExactValue =
  | null
  | boolean
  | number
  | string
  | LongNumber
  | readonly ExactValue[]
  | { readonly [key: string]: ExactValue };

/** A document as JSON paths look at it, and with its numbers as they were written: the same where doubles hold them. */
export interface JsonDocument {
  readonly plain: JsonValue;
  readonly exact: () => ExactValue;
}

/** Levels of lists and objects within each other. */
export const mostDepth = 200;

/** Why a text is no document, in words that follow "but". */
export class JsonProblem extends Error {
  override name = 'JsonProblem';
}

/** A literal that may be more than a double holds, or has an exponent, where one can stand. */
const longLiteral = /(?:^|[:[,\s])-?(?:\d[\d.]{15}|\d[\d.]*[eE])/;

/** @throws {JsonProblem} */
export function parseJson(text: string): JsonDocument {
  if (isTooDeep(text)) throw new JsonProblem(`the JSON is nested more than ${mostDepth} levels deep`);
  try {
    const plain = JSON.parse(text) as JsonValue;
    let exact: ExactValue | undefined = longLiteral.test(text) ? undefined : plain;
    // Takes several times as long: only if a number is compared.
    return { plain, exact: () => (exact ??= JSON.parse(text, asWritten) as ExactValue) };
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonProblem('the body is not JSON');
    throw error;
  }
}

function asWritten(this: unknown, _key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  const written = /[eE]/.test(source) ? null : decimalOf(source);
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
      if (++depth > mostDepth) return true;
    } else if (code === closeList || code === closeObject) depth--;
  }
  return false;
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [34, 92, 91, 93, 123, 125];

/** The value at a place of a document. */
export function valueAt(document: ExactValue, location: readonly (string | number)[]): ExactValue | undefined {
  let value: ExactValue | undefined = document;
  for (const step of location) {
    if (typeof value !== 'object' || value === null || value instanceof LongNumber) return undefined;
    value = (value as Readonly<Record<string | number, ExactValue>>)[step];
  }
  return value;
}

/** The beginning of a value as JSON, a text as it is: little more than `most` characters, however large the value is. */
export function preview(value: ExactValue, most: number): string {
  if (typeof value === 'string') return value.slice(0, most);
  const parts: string[] = [];
  let left = most;
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

/** Whether it is a list. */
export function isList(value: ExactValue | undefined): value is readonly ExactValue[] {
  return Array.isArray(value);
}
