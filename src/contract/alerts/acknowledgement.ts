// What alerts and states share: who acknowledged an incident, which check suppresses an alert, and since when a
// check flaps.
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';

const acknowledger = z
  .strictObject({
    type: z.enum(['user', 'api-key', 'link']).describe('link = a person who opened the ACK_LINK of an alert.'),
    id: z.uuid().nullable(),
    name: z.string().nullable().describe('E-mail address of the user or name of the API key.'),
  })
  .meta({ id: 'Acknowledger' });

/** Since when a check flaps. */
export const flappingSince = instant
  .nullable()
  .describe(
    'When the check began to flap: channels with `grouping` receive one message every ten minutes. null = it does not.',
  );

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
