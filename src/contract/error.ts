// The body of every error response (decisions: Error body).
import { z } from 'zod';

export const errorBody = z
  .object({
    statusCode: z.int().describe('The HTTP status.'),
    error: z.string().describe('Its reason phrase.'),
    message: z.string().describe('What is wrong and how to fix it.'),
    attributes: z
      .record(z.string(), z.unknown())
      .exactOptional()
      .describe('Details. For a 400: the reason for every invalid field, by its path.'),
  })
  .meta({ id: 'Error', description: 'The body of every error.' });
export type ErrorBody = z.output<typeof errorBody>;
