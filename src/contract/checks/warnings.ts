// Warnings in responses to writes, in one format for all resources.
import { z } from 'zod';

/** The response field. */
export const warnings = z
  .array(z.strictObject({ path: z.string(), message: z.string() }))
  .exactOptional()
  .describe(
    'Only in responses to POST, PUT and PATCH: fields that were accepted but probably do not have the intended effect.',
  );
