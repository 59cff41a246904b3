// The body that a check sends, by its type.
import { fillIn } from '../placeholders.ts';
import type { BodyType } from './settings.ts';

/** The content type of each body type, where the check sets none itself. */
export const contentTypes: Readonly<Record<BodyType, string | null>> = {
  NONE: null,
  JSON: 'application/json',
  FORM: 'application/x-www-form-urlencoded',
  GRAPHQL: 'application/json',
  RAW: 'text/plain; charset=utf-8',
};

/** The bytes to send; null = no body. */
export function bodyOf(type: BodyType, text: string, values: ReadonlyMap<string, string>): Buffer | null {
  if (type === 'NONE' || text === '') return null;
  return encodedBody(type, filledBody(type, text, values));
}

/** The text of a body with its variables filled in, before it takes the shape of its type. */
export function filledBody(type: BodyType, text: string, values: ReadonlyMap<string, string>): string {
  return type === 'FORM' ? formText(text, values) : fillIn(text, values, new Set());
}

/** A text that is filled in, in the shape of its type; of the type NONE only scripts make one. null = no body. */
export function encodedBody(type: BodyType, text: string): Buffer | null {
  return text === '' ? null : Buffer.from(type === 'GRAPHQL' ? graphqlText(text) : text);
}

/** A form keeps its shape whatever its values hold: what a variable brings in is encoded. */
function formText(text: string, values: ReadonlyMap<string, string>): string {
  return fillIn(text, values, new Set(), (value) => new URLSearchParams({ v: value }).toString().slice(2));
}

/** A query by itself becomes the JSON that GraphQL servers expect; JSON that already has one is sent as it is. */
function graphqlText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'query' in value) return text;
  } catch {
    // Not JSON: it is the query itself.
  }
  return JSON.stringify({ query: text });
}
