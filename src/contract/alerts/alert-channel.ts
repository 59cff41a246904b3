// Alert channels in the API (reference §1, spec §2.4).
import { z } from 'zod';
import type { JsonObject } from '#domain/json.ts';
import { channelSchemas } from '#channels/schemas.ts';
import { creating, ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
import { instant, orNull, pathNumber, updateOf } from '#lib/schema/fields.ts';
import { Patch, patchField } from '#lib/schema/patch.ts';
import { showAs, shown, shownFields } from '#lib/schema/shown.ts';
import { escalationMinutes, timeZoneName } from '../lists.ts';
import { warnings } from '../responses.ts';
import { reportSchedule } from '../results/account-report.ts';
import { weekdays } from '#domain/alerts/active-hours.ts';

const time = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const words = {
  timeZone: 'IANA name, such as Europe/Berlin.',
  to: 'Up to 24:00. Not after `from` = on the next day.',
  outside:
    'WAIT = deliveries wait for the next period. OTHER_CHANNEL = they are sent through `otherChannelId`, which also receives the reminders and the recovery.',
};

const activeHours = z
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

type ChannelSchema = (typeof channelSchemas)[number];
/** Names of all kinds. */
export const channelTypes = channelSchemas.map(({ type }) => type) as [string, ...string[]];

/** A union of the kinds' schemas, discriminated by `type`. A single schema is returned unchanged. */
export function ofEachKind<Schema extends z.ZodObject>(schemaOf: (schema: ChannelSchema) => Schema): Schema {
  const [first, ...others] = channelSchemas.map(schemaOf) as [Schema, ...Schema[]];
  const error = unknownType;
  // The type of a union is reduced to the fields that all members share.
  return others.length === 0 ? first : (z.discriminatedUnion('type', [first, ...others] as never, { error }) as never);
}

/** A union of schemas. A single schema is returned unchanged. */
export function anyOf(schemas: readonly z.ZodType[]): z.ZodType {
  const [first, ...others] = schemas;
  return first === undefined || others.length > 0 ? z.union(schemas) : first;
}

export const unknownType = `must be ${channelTypes.join(' or ')}; for other services start from a WEBHOOK preset (GET /v1/alert-channels/presets)`;

const subscriptionFields = z.strictObject({
  checkId: z.uuid().nullish(),
  groupId: z.int().min(0).nullish(),
  activated: z.boolean().default(true),
  escalationMinutes,
});

/** A subscription to one check or one group. The other ID is null, 0 or omitted. */
export const subscriptionWrite = ignoring(['id', 'alertChannelId'], subscriptionFields).transform((value, context) => {
  const checkId = value.checkId?.toLowerCase() ?? null;
  const groupId = value.groupId || null;
  if ((checkId === null) !== (groupId === null)) {
    const { activated, escalationMinutes: after } = value;
    return { checkId, groupId, activated, escalationMinutes: after };
  }
  for (const [name, other] of [
    ['checkId', 'groupId'],
    ['groupId', 'checkId'],
  ] as const) {
    const message = checkId === null ? `is required if ${other} is omitted` : `cannot be combined with ${other}`;
    context.addIssue({ code: 'custom', path: [name], message });
  }
  return z.NEVER;
});

export const subscription = z
  .strictObject({
    id: z.int(),
    checkId: z.uuid().nullable(),
    groupId: z.int().nullable(),
    activated: z.boolean(),
    escalationMinutes: z.int(),
  })
  .meta({ id: 'Subscription', description: 'Subscribes a channel to a check or to all checks of a group.' });
export type SubscriptionBody = z.output<typeof subscription>;

const fields = z.strictObject({
  subscriptions: orNull(z.array(subscriptionWrite).max(1000), () => []).default([]),
  sendRecovery: z.boolean().default(true),
  sendFailure: z.boolean().default(true),
  sendDegraded: z.boolean().default(false),
  sslExpiry: z.boolean().default(false).describe('Notify about certificates that are about to expire.'),
  sslExpiryThreshold: z.int().min(1).max(30).default(30).describe('Days before expiry, 1 to 30.'),
  autoSubscribe: z.boolean().default(false).describe('Subscribe to every new check and group.'),
  grouping: showAs(
    z
      .boolean()
      .nullable()
      .default(null)
      .describe(
        'Group alerts: one message every ten minutes about a check that is flapping and, for EMAIL, SLACK, SMS and CALL, grouped notifications in an alert storm. false = send every alert. null = true for EMAIL, SLACK, SMS, CALL and webhooks to chat and push services, false for the others.',
      ),
    z.boolean(),
  ),
  activeHours: activeHours
    .nullable()
    .default(null)
    .describe('When alerts are sent. Test messages and replays are sent at any time. null = always.'),
  report: reportSchedule
    .nullable()
    .default(null)
    .describe(
      'Also send a report on the whole account, at 8:00 after each week or month. Only for EMAIL. null = none.',
    ),
});

const ignored = [...readOnlyFields, 'isFailing', 'failingSince', 'lastDeliveredAt', 'waitingDeliveries'];
/** Fields of a preset that a channel does not have. Only presets have a `note`. */
const ofPreset = ['webhookType', 'name', 'note', 'variables'];
export const channelCreate = creating(
  (body) => ('note' in body ? [...ignored, ...ofPreset] : ignored),
  ofEachKind(({ type, config }) => z.strictObject({ type: z.literal(type, unknownType), config, ...fields.shape })),
).meta({ id: 'AlertChannelCreate' });

/** A partial configuration; the merged result is validated by the kind (`wholeConfig`). */
const configPatch = patchField(
  'config',
  anyOf(channelSchemas.map(({ config }): z.ZodType => config)),
  z.looseObject({}),
);
export const channelUpdate = ignoring(
  ignored,
  z.strictObject({
    type: z.literal(channelTypes, unknownType).exactOptional(),
    config: (configPatch as z.ZodType<Patch<JsonObject>>).exactOptional(),
    ...updateOf(fields).shape,
  }),
).meta({ id: 'AlertChannelUpdate' });

/** Validates a complete configuration against the schema of the channel's kind. Throws InvalidMerge. */
export function wholeConfig(type: string, config: unknown): JsonObject {
  const kind = channelSchemas.find((each) => each.type === type) ?? channelSchemas[0];
  return new Patch<JsonObject>('config', {}, kind.config).onto(config);
}

export const alertChannel = ofEachKind(({ type, config }) =>
  z.strictObject({
    id: z.int(),
    type: z.literal<string>(type),
    config: shown(config),
    ...shownFields(fields.shape),
    subscriptions: z.array(subscription),
    isFailing: z
      .boolean()
      .describe(
        'The last delivery was not received: exhausted, refused or failed, or at least two in a row were redirected.',
      ),
    failingSince: instant.nullable(),
    lastDeliveredAt: instant
      .nullable()
      .describe('When a message was received last. null = none of the last 50 deliveries was.'),
    waitingDeliveries: z.int().describe('Deliveries that wait for an attempt; 1000 = at least as many.'),
    warnings,
    created_at: instant,
    updated_at: instant.nullable(),
  }),
).meta({ id: 'AlertChannel', description: 'A destination for alerts and the alerts it receives.' });
export type AlertChannelBody = z.output<typeof alertChannel>;

export const channelParams = z.object({ id: pathNumber('ID of the channel.') });
