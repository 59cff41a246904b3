// Requests of services with a JSON API.
import type { Message } from '#domain/deliveries/delivery.ts';
import type { JsonValue } from '#domain/json.ts';

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
