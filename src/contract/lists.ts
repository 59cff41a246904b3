// Lists and other fields inside bodies that checks, groups and channels share.
import { z } from 'zod';
import { longestEscalationMinutes } from '#domain/alerts/alert-channel.ts';
import { mostSubscriptions, mostTags } from '#domain/checks/check.ts';
import { maxDependencies } from '#domain/checks/check-group.ts';
import { orNull, pathUuid, variableKey } from '#lib/schema/fields.ts';
import { isZone } from '#domain/checks/wall-time.ts';

/** An IANA name. Offsets are rejected because they have no daylight saving time. */
export const timeZoneName = z.string().max(100).refine(isZone, 'must be an IANA time zone, such as Europe/Berlin');

const none = () => [];

/** Tags of a check or a group. */
export const tagList = orNull(z.array(z.string().min(1).max(200)).max(mostTags), none);

/** IDs of the checks that a check or group depends on. */
export const dependencyList = orNull(
  z
    .array(pathUuid('ID of a check.'))
    .max(maxDependencies)
    .transform((ids) => [...new Set(ids)]),
  none,
);
export const dependencyRule =
  'IDs of checks that must work for this one to work. While one of them is failing, failures are recorded but not notified.';

/** Run locations of a check or group at most. */
export const mostLocations = 100;

/** Codes of run locations. */
export const locationList = orNull(z.array(z.string().min(1).max(100)).max(mostLocations), none);

/** Slugs of private locations. A check or group without any returns null. */
export const privateLocationList = z
  .array(z.string().min(1).max(100))
  .max(100)
  .nullable()
  .describe('Slugs of private locations, in addition to `locations`.');

/** Variables of a check or group, up to 200. A null `value` keeps the stored value of a secret variable. */
export const ownVariables = orNull(
  z
    .array(
      z.strictObject({
        key: variableKey,
        value: z.string().max(32_768).nullable(),
        locked: z.boolean().default(false),
        secret: z.boolean().default(false),
      }),
    )
    .max(200),
  none,
);

/** Limits of their number and size. Bytes include retained secret values. */
export const ownVariablesRule = 'Up to 200, with at most 65,536 bytes of names and values in total.';

/** When a subscribed channel is notified. */
export const escalationMinutes = z
  .int()
  .min(0)
  .max(longestEscalationMinutes)
  .default(0)
  .describe(
    'Escalation: notify the channel this many minutes after the alert, only if it is still open and not acknowledged. 0 = at once. Up to 1440.',
  );

/** Channels that a check or group notifies. */
export const channelSubscriptions = orNull(
  z
    .array(z.strictObject({ alertChannelId: z.int().min(1), activated: z.boolean().default(true), escalationMinutes }))
    .max(mostSubscriptions),
  none,
);
