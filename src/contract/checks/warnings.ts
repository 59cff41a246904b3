// Warnings in the answers of writes, in one shape everywhere.
import { z } from 'zod';

/** The field of an answer. */
export const warnings = z
  .array(z.strictObject({ path: z.string(), message: z.string() }))
  .exactOptional()
  .describe('Only in answers of POST, PUT and PATCH: fields that were accepted and probably do not do what was meant.');
