// Run locations on the wire (reference §4.2).
import { z } from 'zod';
import type { Operations } from '../operation.ts';

export const location = z
  .strictObject({ region: z.string().describe('Its code.'), name: z.string().describe('For a person.') })
  .meta({ id: 'Location', description: 'Where checks run from.' });

export const locationOperations = {
  listLocations: {
    method: 'GET',
    path: '/v1/locations',
    summary: 'List all run locations',
    description: 'The list is not paged.',
    tag: 'Locations',
    permission: 'read',
    status: 200,
    response: z.array(location),
  },
} as const satisfies Operations;
