// Active hours of channels in the API (docs/decisions/0129).
import { z } from 'zod';
import { weekdays } from '#domain/alerts/active-hours.ts';
import { timeZoneName } from '../time-zone.ts';

const time = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const words = {
  timeZone: 'IANA name, such as Europe/Berlin.',
  to: 'Up to 24:00. Not after `from` = on the next day.',
  outside:
    'WAIT = deliveries wait for the next period. OTHER_CHANNEL = they are sent through `otherChannelId`, which also receives the reminders and the recovery.',
};

export const activeHours = z
  .strictObject({
    timeZone: timeZoneName.describe(words.timeZone),
    periods: z
      .array(
        z.strictObject({
          days: z.array(z.enum(weekdays)).min(1).max(7),
          from: z.string().regex(time, 'must be a time from 00:00 to 23:59'),
          to: z
            .string()
            .refine((text) => text === '24:00' || time.test(text), 'must be a time from 00:00 to 24:00')
            .describe(words.to),
        }),
      )
      .min(1)
      .max(14),
    outside: z.enum(['WAIT', 'OTHER_CHANNEL']).default('WAIT').describe(words.outside),
    otherChannelId: z.int().min(1).nullable().default(null),
  })
  .superRefine(({ outside, otherChannelId }, context) => {
    if ((outside === 'OTHER_CHANNEL') === (otherChannelId !== null)) return;
    const message = otherChannelId === null ? 'is required with OTHER_CHANNEL' : 'requires outside to be OTHER_CHANNEL';
    context.addIssue({ code: 'custom', path: ['otherChannelId'], message });
  })
  .meta({ id: 'ActiveHoursWrite', description: 'When a channel sends alerts.' });
