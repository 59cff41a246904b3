// Fields that the schemas of several check kinds share.
import { z } from 'zod';
import { orNull } from '#lib/schema/fields.ts';

/** A host name or an address, without scheme and port. */
export const hostname = z.string().trim().min(1).max(2048);

/** A port. */
export const port = z.int().min(1).max(65_535);

/** Which addresses of a name are tried. */
export const ipFamily = z
  .enum(['IPv4', 'IPv6'])
  .nullable()
  .default(null)
  .describe('Only addresses of this family are tried; null = those of both, in turn.');
export const ipFamilyShown = z.enum(['IPv4', 'IPv6']).nullable();

/** Host whose certificate expiry is reported; '' = none. Validated with the check. */
export const certificateDomain = z
  .preprocess((value) => (value === '' ? null : value), z.string().max(300).nullable())
  .default(null);

/** Limits in ms; 0, which some clients send for "not set", is the default. */
export function responseTimes(degraded: number, most: number) {
  return {
    degradedResponseTime: limit(degraded, 30_000).describe('Slower than this is degraded. ms, up to 30000.'),
    maxResponseTime: limit(most, 30_000).describe('Slower than this is failed. ms, up to 30000.'),
  };
}
/** The same as shown. */
export const responseTimesShown = { degradedResponseTime: z.number(), maxResponseTime: z.number() };

/** A number up to `most`; 0 and null are the default. */
export function limit(byDefault: number, most: number) {
  return orNull(z.number().min(0).max(most), () => byDefault)
    .transform((value) => value || byDefault)
    .default(byDefault);
}

/** Of a field of results. */
export const inFull = 'null if only the outcome is stored.';
export const unmeasured = 'null = Tocsin was too busy to measure them.';

export const assertionOutcome = z.strictObject({
  source: z.string(),
  comparison: z.string(),
  property: z.string(),
  target: z.string(),
  regex: z.string().nullable(),
  passed: z.boolean(),
  actual: z.string().nullable().describe('The actual value, shortened. null = none.'),
  problem: z.string().nullable().describe('Why nothing could be compared.'),
  message: z.string().describe('Expected and actual value as a sentence.'),
});

/** What results of every kind say that does not send an HTTP request. */
export const lightResult = {
  assertions: z.array(assertionOutcome),
  requestError: z.string().nullable().describe('Why there was no answer, in a sentence.'),
  address: z.string().nullable().describe('The address that was asked.'),
  timingPhases: z
    .record(z.string(), z.number())
    .nullable()
    .describe(`ms with decimals, in the order in which they took place. ${unmeasured}`),
};
