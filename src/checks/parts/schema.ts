// Fields shared by the schemas of several check kinds.
import { z } from 'zod';
import { orNull } from '#lib/schema/fields.ts';

/** A host name or address, without scheme and port. */
export const hostname = z.string().trim().min(1).max(2048);

export const port = z.int().min(1).max(65_535);

/** Address families to use. */
export const ipFamily = z
  .enum(['IPv4', 'IPv6'])
  .nullable()
  .default(null)
  .describe('Use only addresses of this family. null tries both.');

/** Host whose certificate expiry is reported; '' = none. Validated with the check. */
export const certificateDomain = z
  .preprocess((value) => (value === '' ? null : value), z.string().max(300).nullable())
  .default(null);

/** Limits in ms. Some clients send 0 for unset fields, which means the default. */
export function responseTimes(degraded: number, max: number) {
  return {
    degradedResponseTime: limit(degraded, 30_000).describe(
      'Degraded if the response time exceeds this many ms, up to 30000.',
    ),
    maxResponseTime: limit(max, 30_000).describe('Failed if the response time exceeds this many ms, up to 30000.'),
  };
}

/** A number up to `max`; 0 and null mean the default. */
export function limit(byDefault: number, max: number) {
  return orNull(z.number().min(0).max(max), () => byDefault)
    .transform((value) => value || byDefault)
    .default(byDefault);
}

/** Description of result fields. */
export const inFull = 'null if only the outcome is stored.';
export const unmeasured = 'null if Tocsin was too busy to measure it.';

export const assertionOutcome = z.strictObject({
  source: z.string(),
  comparison: z.string(),
  property: z.string(),
  target: z.string(),
  regex: z.string().nullable(),
  passed: z.boolean(),
  actual: z.string().nullable().describe('The actual value, shortened. null = none.'),
  problem: z.string().nullable().describe('Why the comparison could not be made.'),
  message: z.string().describe('Expected and actual value as a sentence.'),
});

/** Result fields of kinds without an HTTP request. */
export const lightResult = {
  assertions: z.array(assertionOutcome),
  requestError: z.string().nullable().describe('Why there was no response.'),
  address: z.string().nullable().describe('IP address of the target.'),
  timingPhases: z.record(z.string(), z.number()).nullable().describe(`In ms with decimals, in order. ${unmeasured}`),
};
