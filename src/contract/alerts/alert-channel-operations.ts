// Operations on alert channels (reference §1; decisions: Resources of our own).
import { z } from 'zod';
import { bodyInstant } from '#lib/schema/fields.ts';
import { channelSchemas } from '#channels/schemas.ts';
import {
  alertChannel,
  anyOf,
  channelCreate,
  channelParams,
  channelTypes,
  channelUpdate,
  subscription,
  ofEachKind,
  subscriptionWrite,
  unknownType,
} from './alert-channel.ts';
import { alertTypes } from '#domain/alerts/alert.ts';
import { attemptError, delivery, receivedResponse, sentRequest } from './delivery.ts';
import { merges } from '#lib/schema/patch.ts';
import { shown } from '#lib/schema/shown.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';

const alertType = z.enum(alertTypes).default('ALERT_FAILURE');

const previewBody = ofEachKind(({ type, config }) =>
  z.strictObject({
    type: type === channelTypes[0] ? z.literal(type, unknownType).default(type) : z.literal(type),
    config,
    alertType,
    checkResultId: z.uuid().exactOptional().describe('Use the variables of this result. Default: a sample result.'),
    variables: z
      .record(z.string().min(1).max(256), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
      .default({})
      .describe('Variables that override those of the result, built-in names included.'),
  }),
);

const preview = z.strictObject({
  request: z
    .strictObject({ method: z.string(), url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() })
    .nullable()
    .describe('null if the template cannot be rendered.'),
  view: z
    .discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('mail'),
        subject: z.string(),
        html: z.string().describe('HTML part. Loads nothing; the text part is the body of `request`.'),
      }),
      z.strictObject({
        kind: z.literal('text'),
        text: z.string().describe('What people read or hear.'),
        note: z.string().describe('Such as the number of SMS messages.'),
      }),
    ])
    .nullable()
    .describe('How the receiver shows the message, with locked values masked; null = as `request`.'),
  warnings: z.array(
    z.strictObject({
      path: z.string(),
      message: z.string(),
      line: z.int().exactOptional(),
      column: z.int().exactOptional(),
      example: z.string().exactOptional().describe('Smallest value that causes the problem.'),
      fix: z
        .strictObject({ find: z.string(), replaceWith: z.string() })
        .exactOptional()
        .describe('Replace the first occurrence of `find` in the field to fix the problem there.'),
    }),
  ),
  errors: z.array(z.strictObject({ path: z.string(), line: z.int(), column: z.int(), message: z.string() })),
});
export type PreviewBody = z.output<typeof preview>;

const preset = z
  .strictObject({
    type: z.literal(channelTypes),
    webhookType: z.string().exactOptional(),
    name: z.string(),
    note: z.string().describe('What to fill in and where to find it.'),
    variables: z
      .array(z.strictObject({ key: z.string(), locked: z.boolean() }))
      .describe('Account variables that the configuration uses, and whether to lock them.'),
    config: anyOf(channelSchemas.map(({ config }): z.ZodType => shown(config).partial())),
  })
  .meta({
    id: 'AlertChannelPreset',
    description: 'A configuration to start from. Send it to `POST /v1/alert-channels` unchanged.',
  });
export type PresetBody = z.output<typeof preset>;

const templateNames = z.strictObject({
  variables: z.array(
    z.strictObject({
      name: z.string(),
      about: z.string().nullable().describe('What it is; null = your own variable.'),
      example: z.string().nullable().describe('A value of a sample alert, at most 100 characters.'),
    }),
  ),
  helpers: z.array(
    z.strictObject({
      name: z.string(),
      about: z.string(),
      example: z.string().describe('A template.'),
      least: z.int().describe('Minimum number of arguments.'),
      use: z
        .enum(['block', 'comparison', 'value'])
        .describe('`block` = only as a block, `comparison` = also as a block that shows its content if it holds.'),
    }),
  ),
});
export type TemplateNamesBody = z.output<typeof templateNames>;

const testAnswer = z.strictObject({
  delivery: delivery.describe('The recorded attempt.'),
  request: sentRequest,
  response: receivedResponse.exactOptional(),
  error: attemptError.exactOptional(),
});
export type ChannelTestBody = z.output<typeof testAnswer>;

const unknown = { 404: 'Unknown alert channel.' };
const usual = usualOperations({
  path: '/v1/alert-channels',
  params: channelParams,
  shown: alertChannel,
  unknown: unknown[404],
});
const example = {
  type: channelTypes[0],
  config: { url: 'https://hooks.example/alerts', webhookSecret: 'change me' },
  subscriptions: [{ groupId: 4, activated: true }],
};

export const alertChannelOperations = tagged('Alert channels', {
  listAlertChannels: { ...usual.list, summary: 'List all alert channels' },
  createAlertChannel: {
    ...usual.create,
    summary: 'Create an alert channel',
    description: 'Returns 400 with line and column if a template is invalid or uses a secret variable.',
    body: channelCreate,
    example,
  },
  listAlertChannelPresets: {
    method: 'GET',
    path: '/v1/alert-channels/presets',
    summary: 'List templates to start from',
    description: 'Ready-made configurations for common receivers. The list is not paged.',
    permission: 'read',
    response: z.array(preset),
  },
  getTemplateNames: {
    method: 'GET',
    path: '/v1/alert-channels/template-names',
    summary: 'List what templates can use',
    description: 'Variables with an example, and helpers. Secret variables cannot be used and are left out.',
    permission: 'read',
    response: templateNames,
  },
  getAlertChannel: {
    ...usual.get,
    summary: 'Get an alert channel',
    isRevised: true,
  },
  updateAlertChannel: {
    ...usual.update,
    summary: 'Update an alert channel',
    description: merges,
    body: channelUpdate,
    example: { sendDegraded: true },
    isRevised: true,
  },
  deleteAlertChannel: {
    ...usual.remove,
    summary: 'Delete an alert channel',
    description:
      "Cancels the channel's pending deliveries and keeps its log. Open alerts are not resolved on this channel.",
  },
  putSubscription: {
    ...usual.update,
    path: '/v1/alert-channels/{id}/subscriptions',
    summary: 'Subscribe a channel to a check or group, or change a subscription',
    body: subscriptionWrite,
    example: { groupId: 4, activated: true },
    response: subscription,
  },
  addSubscriptions: {
    ...usual.update,
    method: 'POST',
    path: '/v1/alert-channels/{id}/subscriptions',
    summary: 'Subscribe a channel to many checks and groups',
    description: 'Adds all or none. Existing subscriptions to them are changed, others are kept.',
    body: z.strictObject({ subscriptions: z.array(subscriptionWrite).min(1).max(200) }),
    example: { subscriptions: [{ groupId: 4 }, { groupId: 5, activated: false }] },
    status: 201,
    response: z.array(subscription).describe('The subscriptions to these checks and groups.'),
  },
  previewAlertChannel: {
    method: 'POST',
    path: '/v1/alert-channels/preview',
    summary: 'Render a message without sending it',
    description: 'Template errors are returned with status 200, in `errors`.',
    permission: 'read',
    body: previewBody,
    example: { config: { url: 'https://hooks.example/{{CHECK_NAME}}', template: '{"text": {{json ALERT_TITLE}} }' } },
    response: preview,
  },
  testAlertChannel: {
    ...usual.update,
    method: 'POST',
    path: '/v1/alert-channels/{id}/test',
    summary: 'Send a test message and wait for the result',
    body: z.strictObject({ alertType }).prefault({}),
    example: { alertType: 'ALERT_RECOVERY' },
    response: testAnswer,
    alsoAnswers: { ...unknown, 409: 'Deliveries are held, or the message must wait, e.g. for a limit of the account.' },
  },
  replayAlertChannel: {
    ...usual.update,
    method: 'POST',
    path: '/v1/alert-channels/{id}/replay',
    summary: 'Replay all deliveries that were not received since a given time',
    description: 'Deliveries with the status `exhausted`, `refused` or `failed`. Test messages are not replayed.',
    body: z.strictObject({ since: bodyInstant }),
    example: { since: '2026-01-31T12:00:00.000Z' },
    status: 202,
    response: z.strictObject({ count: z.int() }),
  },
} as const satisfies Untagged);
