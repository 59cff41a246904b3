// The request body by its type.
import { fillIn } from '../placeholders.ts';
import type { BodyType } from './schema.ts';

export const contentTypes: Readonly<Record<BodyType, string | null>> = {
  NONE: null,
  JSON: 'application/json',
  FORM: 'application/x-www-form-urlencoded',
  GRAPHQL: 'application/json',
  RAW: 'text/plain; charset=utf-8',
};

/** Returns the bytes to send; null = no body. */
export function bodyOf(type: BodyType, text: string, values: ReadonlyMap<string, string>): Buffer | null {
  if (type === 'NONE' || text === '') return null;
  return encodedBody(type, filledBody(type, text, values));
}

/** Returns the text of a body with variables filled in, before encoding. */
export function filledBody(type: BodyType, text: string, values: ReadonlyMap<string, string>): string {
  return type === 'FORM' ? formText(text, values) : fillIn(text, values, new Set());
}

/** Encodes a filled-in text by its type. Only scripts create text of type NONE. null = no body. */
export function encodedBody(type: BodyType, text: string): Buffer | null {
  return text === '' ? null : Buffer.from(type === 'GRAPHQL' ? graphqlText(text) : text);
}

/** Encodes the values of variables, so that they cannot change the structure of a form. */
function formText(text: string, values: ReadonlyMap<string, string>): string {
  return fillIn(text, values, new Set(), (value) => new URLSearchParams({ v: value }).toString().slice(2));
}

/** Wraps a plain query in the JSON that GraphQL servers expect. JSON with a query is sent unchanged. */
function graphqlText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'query' in value) return text;
  } catch {
    // Not JSON, so it is the query itself.
  }
  return JSON.stringify({ query: text });
}
