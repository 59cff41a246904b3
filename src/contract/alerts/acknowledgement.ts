// Who acknowledged an incident, and when.
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';

const acknowledger = z
  .strictObject({
    type: z.enum(['user', 'api-key', 'link']).describe('link = a person who opened the ACK_LINK of an alert.'),
    id: z.uuid().nullable(),
    name: z.string().nullable().describe('E-mail address of the user or name of the API key.'),
  })
  .meta({ id: 'Acknowledger' });

/** Fields that show an acknowledgement. */
export const acknowledgement = {
  acknowledgedAt: instant.nullable().describe('null = not acknowledged.'),
  acknowledgedBy: acknowledger.nullable(),
};
