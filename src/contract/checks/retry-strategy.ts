// How often a failing run is tried again (reference: retryStrategy).
import { z } from 'zod';

const shape = {
  type: z
    .enum(['NO_RETRIES', 'SINGLE_RETRY', 'FIXED', 'LINEAR', 'EXPONENTIAL'])
    .describe('How the pauses between retries grow.'),
  baseBackoffSeconds: z.int().min(0).max(600).default(60).describe('Seconds before the first retry.'),
  maxRetries: z.int().min(1).max(10).default(2).describe('Most retries; SINGLE_RETRY has one.'),
  maxDurationSeconds: z.int().min(0).max(600).default(600).describe('Seconds after which no retry begins.'),
  sameRegion: z
    .boolean()
    .default(true)
    .describe('Retry from the same location; false = from the next of the check that is served.'),
};

const networkErrors = z.array(z.literal('NETWORK_ERROR')).max(10);

/** One text or null in the place of the list `onlyOn` is accepted, as some clients send it. */
export const retryStrategy = z
  .strictObject({
    ...shape,
    onlyOn: z
      .union([networkErrors, z.literal('NETWORK_ERROR'), z.null()])
      .exactOptional()
      .describe('Retry only on network errors; absent = on every failure.'),
  })
  .meta({ id: 'RetryStrategyWrite', description: 'Number of retries before a run counts as failed.' })
  .transform(({ onlyOn, ...strategy }) => {
    const list = typeof onlyOn === 'string' ? [onlyOn] : (onlyOn ?? []);
    return list.length > 0 ? { ...strategy, onlyOn: list } : strategy;
  });

/** As shown. */
export const retryStrategyShown = z
  .strictObject({
    type: shape.type,
    baseBackoffSeconds: z.int(),
    maxRetries: z.int(),
    maxDurationSeconds: z.int(),
    sameRegion: z.boolean(),
    onlyOn: networkErrors.exactOptional(),
  })
  .meta({ id: 'RetryStrategy' });
