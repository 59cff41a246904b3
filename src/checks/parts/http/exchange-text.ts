// Replaces parts of the response in a finding's exchange.
import type { JsonObject } from '#domain/json.ts';
import { object } from '../read.ts';

/** Replaces parts of the response; a replaced body is text. */
export function exchangeWith(exchange: string | null, reported: JsonObject): string | null {
  if (exchange === null) return null;
  const { request = null, response } = JSON.parse(exchange) as JsonObject;
  const { bodyEncoding, ...rest } = object(response);
  const kept = bodyEncoding === undefined || 'body' in reported ? rest : { ...rest, bodyEncoding };
  return JSON.stringify({ request, response: { ...kept, ...reported } });
}
