// Removes times that include a delay by Tocsin from the details of a finding (docs/decisions/0030).
import type { JsonValue } from '#domain/json.ts';
import { httpWithoutTimes } from '../http/details.ts';
import { lightWithoutTimes } from './light.ts';

/** Removes response time, phases and assertions about them. HTTP kinds store a list, simple kinds an object. */
export function withoutTimes(details: JsonValue): JsonValue {
  if (details === null) return null;
  return Array.isArray(details) ? httpWithoutTimes(details) : lightWithoutTimes(details);
}
