// Fields that configurations of several kinds have.
import { z } from 'zod';
import type { JsonObject } from '#domain/json.ts';
import { orNull } from '#lib/schema/fields.ts';

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
