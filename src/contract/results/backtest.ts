// Backtests in the API: what settings would have done (docs/decisions/0143).
import { z } from 'zod';
import { alertTypes } from '#domain/alerts/alert.ts';
import { instant } from '#lib/schema/fields.ts';
import { accountAlertSettings } from '../alerts/alert-settings.ts';
import { anyCheckCreate } from '../checks/check.ts';
import { groupUpdateV2 } from '../checks/check-group.ts';
import { tagged } from '../operation.ts';

const count = z.int().min(0);
const counts = z.strictObject({
  alerts: count.describe('Alerts about failures and degradations, without reminders.'),
  reminders: count,
  suppressed: count.describe('Alerts that a failing dependency suppressed.'),
  messages: count.describe('Messages to channels; one about many checks counts once.'),
});

const alert = z
  .strictObject({
    checkId: z.uuid(),
    checkName: z.string(),
    alertType: z.enum(alertTypes),
    at: instant,
    resultId: z.string().describe('The result that raised it.'),
    isReminder: z.boolean(),
    suppressedBy: z.string().nullable().describe('Name of the failing dependency that suppressed it.'),
    isPresent: z.boolean().describe('The present settings raise it.'),
    isChanged: z.boolean().describe('The tried settings raise it.'),
    wasNotRaised: z
      .boolean()
      .describe(
        'The present settings raise it, but it was not raised then: something was muted, in maintenance or set otherwise.',
      ),
  })
  .meta({ id: 'BacktestAlert' });

const subjects = ['check', 'group', 'channel', 'accountAlertSettings'] as const;

export const backtestOperations = tagged('Checks', {
  createCheckBacktest: {
    method: 'POST',
    path: '/v1/check-backtests',
    summary: 'Say what settings would have done',
    description:
      'Replays stored results through the rules that raise alerts, with the present settings and with those of the body: of a check, a group, a channel or the account. Nothing is changed. Replays at most 500 checks and 20,000 results.',
    permission: 'read',
    body: z
      .strictObject({
        checkId: z.uuid().exactOptional(),
        check: anyCheckCreate.exactOptional().describe('The settings of this check that are tried.'),
        groupId: z.int().min(1).exactOptional(),
        group: groupUpdateV2.exactOptional().describe('The settings of this group that are tried.'),
        alertChannelId: z.int().min(1).exactOptional(),
        channel: z
          .strictObject({
            sendFailure: z.boolean().exactOptional(),
            sendRecovery: z.boolean().exactOptional(),
            sendDegraded: z.boolean().exactOptional(),
            grouping: z.boolean().exactOptional(),
          })
          .exactOptional()
          .describe('The settings of this channel that are tried.'),
        accountAlertSettings: accountAlertSettings
          .exactOptional()
          .describe('The alert settings of the account that are tried.'),
        days: z.int().min(1).max(30).default(30),
      })
      .refine((body) => subjects.filter((name) => body[name] !== undefined).length === 1, {
        error: 'must be given, or check, group or channel: exactly one of them',
        path: ['accountAlertSettings'],
      })
      .refine((body) => (body.check === undefined) === (body.checkId === undefined), {
        error: 'must be given together with check',
        path: ['checkId'],
      })
      .refine((body) => (body.group === undefined) === (body.groupId === undefined), {
        error: 'must be given together with group',
        path: ['groupId'],
      })
      .refine((body) => (body.channel === undefined) === (body.alertChannelId === undefined), {
        error: 'must be given together with channel',
        path: ['alertChannelId'],
      }),
    example: { accountAlertSettings: { runBasedEscalation: { failedRunThreshold: 3 } }, days: 7 },
    response: z
      .strictObject({
        from: instant,
        to: instant.describe('End of what was replayed: earlier than now if there are too many results.'),
        checks: count.describe('Replayed checks.'),
        allChecks: count.describe('Checks that the settings are about.'),
        present: counts.describe('With the present settings.'),
        changed: counts.describe('With the tried settings.'),
        untold: z.array(z.string()).describe('Changed settings whose effect the past cannot show.'),
        alerts: z.array(alert).describe('Of either settings, newest first: at most 200.'),
        total: count.describe('Number of all of them.'),
      })
      .meta({ id: 'CheckBacktest' }),
    alsoAnswers: { 404: 'Unknown check, group or channel.' },
  },
});
