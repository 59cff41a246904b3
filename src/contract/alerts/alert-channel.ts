// Alert channels on the wire (reference §1, spec §2.4).
import { z } from 'zod';
import { httpMethod } from '../checks/api-request.ts';
import { bodyInstantText, instant, instantOf, orNull, pathNumber, updateOf } from '#lib/schema/fields.ts';
import { creating, ignoring, pairs, readOnlyFields } from '#lib/schema/bodies.ts';
import { warnings } from '../checks/warnings.ts';

const templatePairs = pairs.describe('Values are templates.');
const text = (most: number) => z.string().max(most).nullable();

/** Where a webhook goes and what it says. URL, template and the values of headers and parameters are templates. */
export const webhookConfig = z
  .strictObject({
    name: orNull(z.string().max(200), () => '').default(''),
    url: z.string().min(1).max(32_768).describe('A template; must render to an http or https URL.'),
    method: httpMethod.default('POST'),
    template: text(32_768).default(null).describe('Of the body; null = JSON of all variables.'),
    headers: templatePairs.default([]),
    queryParameters: templatePairs.default([]),
    webhookSecret: text(1000)
      .exactOptional()
      .describe('Signs deliveries. Left out, or sent back masked, it stays as it is; null removes it.'),
    previousSecretUntil: bodyInstantText
      .transform((text) => new Date(instantOf(text)).toISOString())
      .nullable()
      .exactOptional()
      .describe('With a new secret: until when the old one signs, too.'),
    webhookType: text(100)
      .default(null)
      .describe('Which preset it was made from: GET /v1/alert-channels/presets. Any other text is kept as it is.'),
    longTail: z.boolean().default(false).describe('After the six attempts four more: 5 min, 30 min, 2 h, 6 h.'),
  })
  .meta({ id: 'WebhookConfigWrite' });

/** Headers or query parameters as they are shown. */
export const pairsShown = z.array(z.strictObject({ key: z.string(), value: z.string(), locked: z.boolean() }));

const webhookConfigShown = z
  .strictObject({
    name: z.string(),
    url: z.string(),
    method: z.string(),
    template: z.string().nullable(),
    headers: pairsShown,
    queryParameters: pairsShown,
    webhookSecret: z.string().nullable().describe('Masked; null = unsigned.'),
    previousSecretUntil: instant.nullable(),
    webhookType: z.string().nullable(),
    longTail: z.boolean(),
  })
  .meta({ id: 'WebhookConfig' });

const subscriptionFields = z.strictObject({
  checkId: z.uuid().nullish(),
  groupId: z.int().min(0).nullish(),
  activated: z.boolean().default(true),
});

/** One check or one group that the channel is told of; the other id is null, 0 or left out. */
export const subscriptionWrite = ignoring(['id', 'alertChannelId'], subscriptionFields).transform((value, context) => {
  const checkId = value.checkId?.toLowerCase() ?? null;
  const groupId = value.groupId || null;
  if ((checkId === null) !== (groupId === null)) return { checkId, groupId, activated: value.activated };
  for (const [name, other] of [
    ['checkId', 'groupId'],
    ['groupId', 'checkId'],
  ] as const) {
    const message = checkId === null ? `is required, unless ${other} is given` : `must be left out beside ${other}`;
    context.addIssue({ code: 'custom', path: [name], message });
  }
  return z.NEVER;
});

export const subscription = z
  .strictObject({ id: z.int(), checkId: z.uuid().nullable(), groupId: z.int().nullable(), activated: z.boolean() })
  .meta({ id: 'Subscription', description: 'A check, or every check of a group, that a channel is told of.' });
export type SubscriptionBody = z.output<typeof subscription>;

const type = z.literal(
  'WEBHOOK',
  'must be WEBHOOK: for Slack, e-mail gateways and others start from a preset (GET /v1/alert-channels/presets)',
);

const fields = z.strictObject({
  type,
  config: webhookConfig,
  subscriptions: orNull(z.array(subscriptionWrite).max(1000), () => []).default([]),
  sendRecovery: z.boolean().default(true),
  sendFailure: z.boolean().default(true),
  sendDegraded: z.boolean().default(false),
  sslExpiry: z.boolean().default(false).describe('Tell of certificates that are about to expire.'),
  sslExpiryThreshold: z.int().min(1).max(30).default(30).describe('Days before expiry, 1 to 30.'),
  autoSubscribe: z.boolean().default(false).describe('Subscribe to every new check and group.'),
});

const ignored = [...readOnlyFields, 'isFailing', 'failingSince'];
/** Fields of a preset that a channel does not have; only presets have a `note`. */
const ofPreset = ['webhookType', 'name', 'note', 'variables'];
export const channelCreate = creating((body) => ('note' in body ? [...ignored, ...ofPreset] : ignored), fields).meta({
  id: 'AlertChannelCreate',
});
export const channelUpdate = ignoring(ignored, updateOf(fields)).meta({ id: 'AlertChannelUpdate' });

export const alertChannel = z
  .strictObject({
    id: z.int(),
    type: z.literal('WEBHOOK'),
    config: webhookConfigShown,
    subscriptions: z.array(subscription),
    sendRecovery: z.boolean(),
    sendFailure: z.boolean(),
    sendDegraded: z.boolean(),
    sslExpiry: z.boolean(),
    sslExpiryThreshold: z.int(),
    autoSubscribe: z.boolean(),
    isFailing: z
      .boolean()
      .describe('The last delivery was exhausted, or at least two in a row were not received, redirects included.'),
    failingSince: instant.nullable(),
    warnings,
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({ id: 'AlertChannel', description: 'Where alerts go, and which of them.' });
export type AlertChannelBody = z.output<typeof alertChannel>;

export const channelParams = z.object({ id: pathNumber('Id of the channel.') });
