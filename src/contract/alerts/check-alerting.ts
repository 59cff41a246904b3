// Who would be notified if a check failed now, in the API.
import { z } from 'zod';
import { alertTypes } from '#domain/alerts/alert.ts';
import { instant } from '#lib/schema/fields.ts';
import { shown } from '#lib/schema/shown.ts';
import { checkParams } from '../checks/check.ts';
import { tagged, type Untagged } from '../operation.ts';
import { alertSettings } from './alert-settings.ts';

const source = z.enum(['check', 'group', 'account', 'default']);

const channel = z.strictObject({
  alertChannelId: z.int(),
  isOfCheck: z.boolean().describe('Subscribed to the check.'),
  isOfGroup: z.boolean().describe('Subscribed to its group.'),
  alertTypes: z
    .array(z.enum(alertTypes))
    .describe('What it would receive for a failure and the recovery after it. Empty = nothing.'),
  activeFrom: instant
    .nullable()
    .describe('Outside of its active hours: when they begin; the message waits until then. null = it is active.'),
  insteadChannelId: z
    .int()
    .nullable()
    .describe('Outside of its active hours, this channel is notified at once. null = the message waits.'),
  escalationMinutes: z
    .int()
    .describe(
      'Minutes after the alert at which it is notified, if the alert is open and not acknowledged. 0 = at once.',
    ),
  escalatesAt: instant
    .nullable()
    .describe(
      'When it is notified of the alert that is open now, unless that is acknowledged. null = it does not wait.',
    ),
  failingSince: instant.nullable().describe('Since when its deliveries fail. null = they do not.'),
});

const heldBack = z.strictObject({
  reason: z.enum(['paused', 'muted', 'muted-until-recovery', 'maintenance', 'dependency']),
  by: z.enum(['check', 'group', 'window', 'dependency']),
  name: z.string().nullable().describe('Name of the window or dependency.'),
  checkId: z.uuid().nullable().describe('The dependency.'),
  until: instant.nullable().describe('When it ends. null = when somebody ends it, or when a check recovers.'),
});

export const checkAlerting = z
  .strictObject({
    alertSettings: shown(alertSettings).describe('The settings in effect.'),
    source: source.describe('Who decides reminders and the share of failing locations; `default` = nobody.'),
    escalationSource: source.describe('Who decides when a failure is alerted.'),
    channels: z.array(channel).describe('Subscribed channels, up to 200, by ID.'),
    heldBack: z.array(heldBack).describe('What would hold an alert back now. Recoveries are sent in any case.'),
    dependsOn: z.array(
      z.strictObject({
        checkId: z.uuid(),
        name: z.string(),
        status: z.enum(['passing', 'degraded', 'failing']).nullable().describe('null = no result yet.'),
      }),
    ),
    neededBy: z
      .strictObject({
        checks: z.array(z.strictObject({ checkId: z.uuid(), name: z.string() })),
        groups: z.array(z.strictObject({ groupId: z.int(), name: z.string() })),
      })
      .describe('Checks and groups that depend on it, by name, up to 200 of each.'),
  })
  .meta({ id: 'CheckAlerting', description: 'Who would be notified if a check failed now, and when.' });
export type CheckAlertingBody = z.output<typeof checkAlerting>;

export const checkAlertingOperations = tagged('Checks', {
  getCheckAlerting: {
    method: 'GET',
    path: '/v1/checks/{id}/alerting',
    summary: 'Get who would be notified if a check failed now',
    description:
      'The alert settings in effect and who decides them, the subscribed channels with what they would receive, and what would hold an alert back now. Notifies nobody.',
    permission: 'read',
    params: checkParams,
    response: checkAlerting,
    alsoAnswers: { 404: 'Unknown check.' },
  },
} as const satisfies Untagged);
