// The body of every answer that is not a success (decisions: Error body).
import { z } from 'zod';

export const errorBody = z
  .object({
    statusCode: z.int().describe('The HTTP status.'),
    error: z.string().describe('Its reason phrase.'),
    message: z.string().describe('What is wrong and how to fix it.'),
    attributes: z
      .record(z.string(), z.unknown())
      .exactOptional()
      .describe('Details. Of a 400: every wrong field by its path, with what would be right.'),
  })
  .meta({ id: 'Error', description: 'The body of every error.' });
export type ErrorBody = z.output<typeof errorBody>;
