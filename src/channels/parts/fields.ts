// What several kinds have in common: fields of configurations, and requests of services with a JSON API.
import { z } from 'zod';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { orNull } from '#lib/schema/fields.ts';
import type { Message } from '#domain/deliveries/delivery.ts';

/** Text for people; null = ''. */
export const labelText = orNull(z.string().max(200), () => '').default('');

/** Opt-in for late retries. */
export const longTail = z
  .boolean()
  .default(false)
  .describe('Makes four more attempts after the first six: 5 min, 30 min, 2 h and 6 h later.');

/** A key that goes into a header or a body. */
export const keyText = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'must consist of visible ASCII characters without spaces');

/** A text of a stored configuration or its secrets; '' = none. */
export function textIn(from: JsonObject, name: string): string {
  const value = from[name];
  return typeof value === 'string' ? value : '';
}

/** A POST request. @param body without secrets: it is stored */
export function jsonRequest(url: string, body: JsonValue, userAgent: string): Message {
  return {
    method: 'POST',
    url,
    headers: [
      ['content-type', 'application/json'],
      ['user-agent', userAgent],
    ],
    body: JSON.stringify(body),
  };
}
