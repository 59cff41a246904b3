// Request and answer of a finding as text, told otherwise in part.
import type { JsonObject } from '#domain/json.ts';
import { object } from '../read.ts';

/** An exchange with some of its response told otherwise; a body that is told otherwise is text. */
export function exchangeWith(exchange: string | null, told: JsonObject): string | null {
  if (exchange === null) return null;
  const { request = null, response } = JSON.parse(exchange) as JsonObject;
  const { bodyEncoding, ...rest } = object(response);
  const kept = bodyEncoding === undefined || 'body' in told ? rest : { ...rest, bodyEncoding };
  return JSON.stringify({ request, response: { ...kept, ...told } });
}
