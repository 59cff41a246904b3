// Details of a finding without the times in them, which contain a delay of Tocsin's own (docs/decisions/0030).
import type { JsonValue } from '#domain/json.ts';
import { httpWithoutTimes } from '../http/details.ts';
import { lightWithoutTimes } from './light.ts';

/** The same details without response time, phases and what assertions say of them. HTTP kinds keep a list, light ones an object. */
export function withoutTimes(details: JsonValue): JsonValue {
  if (details === null) return null;
  return Array.isArray(details) ? httpWithoutTimes(details) : lightWithoutTimes(details);
}
