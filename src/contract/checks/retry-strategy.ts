// Retries of failing runs (reference: retryStrategy).
import { z } from 'zod';
import type { RetryStrategy } from '#domain/checks/check.ts';
import { showAs } from '#lib/schema/shown.ts';

const shape = {
  type: z
    .enum(['NO_RETRIES', 'SINGLE_RETRY', 'FIXED', 'LINEAR', 'EXPONENTIAL'])
    .describe('How the delay between retries grows.'),
  baseBackoffSeconds: z.int().min(0).max(600).default(60).describe('Seconds before the first retry.'),
  maxRetries: z.int().min(1).max(10).default(2).describe('Maximum number of retries. SINGLE_RETRY has one.'),
  maxDurationSeconds: z.int().min(0).max(600).default(600).describe('Seconds after which no retry starts.'),
  sameRegion: z
    .boolean()
    .default(true)
    .describe('Retry from the same location. false = use the next available location of the check.'),
};

const networkErrors = z.array(z.literal('NETWORK_ERROR')).max(10);

/** `onlyOn` may be a string or null instead of a list because some clients send that. */
export const retryStrategy = z
  .strictObject({
    ...shape,
    onlyOn: showAs(z.union([networkErrors, z.literal('NETWORK_ERROR'), z.null()]), networkErrors)
      .exactOptional()
      .describe('Retry only on network errors. Absent = on every failure.'),
  })
  .meta({ id: 'RetryStrategyWrite', description: 'Retries before a run counts as failed.' })
  .transform(({ onlyOn, ...strategy }): typeof strategy & Pick<RetryStrategy, 'onlyOn'> => {
    const list = typeof onlyOn === 'string' ? [onlyOn] : (onlyOn ?? []);
    return list.length > 0 ? { ...strategy, onlyOn: list } : strategy;
  });
