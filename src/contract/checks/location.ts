// Run locations in the API (reference §4.2).
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';

export const location = z
  .strictObject({
    region: z.string().describe('Code of the location.'),
    name: z.string().describe('Display name.'),
    silentSince: instant
      .nullable()
      .describe('Since when no process runs checks there, so that their runs wait; null = available.'),
  })
  .meta({ id: 'Location', description: 'A location from which checks run.' });

export const locationOperations = tagged('Locations', {
  listLocations: {
    method: 'GET',
    path: '/v1/locations',
    summary: 'List all run locations',
    description: 'Available ones first, then those that had a runner in the last 30 days. The list is not paged.',
    permission: 'read',
    response: z.array(location),
  },
} as const satisfies Untagged);
