// What alerts and states share: who acknowledged an incident, and which check suppresses an alert.
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';

const acknowledger = z
  .strictObject({
    type: z.enum(['user', 'api-key', 'link']).describe('link = a person who opened the ACK_LINK of an alert.'),
    id: z.uuid().nullable(),
    name: z.string().nullable().describe('E-mail address of the user or name of the API key.'),
  })
  .meta({ id: 'Acknowledger' });

/** The needed check that suppresses an alert. */
export const suppressedBy = z
  .strictObject({
    checkId: z.uuid(),
    name: z.string(),
    since: instant.describe('Since when the alert is suppressed.'),
    until: instant
      .nullable()
      .describe(
        'When the alert is sent if the check still fails then. null = within five minutes after the dependency recovered.',
      ),
  })
  .meta({ id: 'Suppressor' })
  .nullable()
  .describe('The dependency whose failure suppresses this alert. null = none.');

/** Fields that show an acknowledgement. */
export const acknowledgement = {
  acknowledgedAt: instant.nullable().describe('null = not acknowledged.'),
  acknowledgedBy: acknowledger.nullable(),
};
