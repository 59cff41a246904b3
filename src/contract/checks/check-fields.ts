// Fields that checks of all types have, in requests and responses (reference §4.3).
import { z } from 'zod';
import { frequency } from '#checks/schema.ts';
import { alertSettings } from '../alerts/alert-settings.ts';
import { bodyInstant, instant, orNull, pathUuid } from '#lib/schema/fields.ts';
import { readOnlyFields } from '#lib/schema/bodies.ts';
import { showAs, shownFields } from '#lib/schema/shown.ts';
import {
  channelSubscriptions,
  dependencyList,
  dependencyRule,
  locationList,
  ownVariables,
  ownVariablesRule,
  privateLocationList,
  tagList,
} from '../lists.ts';
import { retryStrategy } from './retry-strategy.ts';
import { warnings } from '../responses.ts';
import { incidentSeverities } from '#domain/status-pages/status-service.ts';

const incidentTrigger = z
  .strictObject({
    serviceId: pathUuid('ID of a service of status pages.'),
    severity: z.enum(incidentSeverities).default('MAJOR'),
    name: z.string().trim().min(1).max(200),
    description: z.string().trim().min(1).max(5000).describe('First update. Markdown, without HTML.'),
    notifySubscribers: z.boolean().default(true),
  })
  .meta({
    id: 'IncidentTrigger',
    description:
      'An incident that is published when the check fails, and resolved when it recovers, on published pages that show the service.',
  });

/** Fields in requests. All but `name` have a default. */
export const checkFields = {
  name: z.string().trim().min(1).max(200),
  description: z.string().max(510).nullable().default(null),
  runbookUrl: z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
    .max(2000)
    .nullable()
    .default(null)
    .describe('What to do when the check fails: a link in its alerts.'),
  notes: z.string().max(2000).nullable().default(null).describe('For the people who are notified: in its alerts.'),
  activated: z.boolean().default(true).describe('Whether the check runs.'),
  muted: z.boolean().default(false).describe('Run the check, but send no alerts.'),
  mutedUntil: showAs(
    bodyInstant
      .nullable()
      .default(null)
      .describe(
        'Muted until this time, whatever `muted` is. If the check still fails then, the alert is sent. ISO 8601.',
      ),
    instant.nullable(),
  ),
  mutedUntilRecovery: z
    .boolean()
    .default(false)
    .describe(
      'Muted until the check recovers. If it passes now, until it has recovered from its next failure. Then this is false again.',
    ),
  dependsOn: dependencyList.default([]).describe(dependencyRule),
  shouldFail: z
    .boolean()
    .default(false)
    .describe('Count a status of 400 or more as passed. Assertions are still evaluated.'),
  doubleCheck: z.boolean().default(true).describe('Accepted for older clients. Has no effect.'),
  locations: locationList.default([]).describe('Codes of run locations. Empty = the location of this server.'),
  privateLocations: privateLocationList.default(null),
  tags: tagList.default([]),
  frequency,
  frequencyOffset: orNull(z.int().min(0).max(86_400), () => 0)
    .transform((value) => (value === 0 ? null : value))
    .default(null)
    .describe('Seconds: 10, 20 or 30 if frequency is 0; otherwise a fixed offset within the interval.'),
  runParallel: z.boolean().default(false).describe('Run in all locations at once instead of one after the other.'),
  groupId: orNull(z.int().min(0), () => 0)
    .transform((id) => (id === 0 ? null : id))
    .default(null),
  groupOrder: z.int().min(0).nullable().default(null),
  runtimeId: z
    .string()
    .max(100)
    .nullable()
    .default(null)
    .describe('null = use those of the group, otherwise of the account.'),
  runtimeFallback: z.boolean().default(false).describe('Use the account’s runtime once this one is removed.'),
  environmentVariables: ownVariables.default([]).describe(ownVariablesRule),
  alertSettings: alertSettings.nullable().default(null),
  useGlobalAlertSettings: z.boolean().default(true),
  alertChannelSubscriptions: channelSubscriptions.default([]),
  retryStrategy: retryStrategy.nullable().default(null).describe('null = no retries.'),
  triggerIncident: incidentTrigger.nullable().default(null).describe('The incident that its failure opens.'),
};

/** Fields in responses. */
export const checkFieldsShown = {
  ...shownFields(checkFields),
  notifiesNobody: z
    .boolean()
    .describe('No channel is notified of failures: no active subscription of the check or its group includes them.'),
  nextRunAt: instant.nullable().describe('Time of the next scheduled run. null for heartbeats and deactivated checks.'),
  warnings,
  created_at: instant,
  updated_at: instant.nullable(),
};

/** Fields that reference clients send with every check, whatever its type, and read-only fields (reference §5.6). */
export const ignored = [
  ...readOnlyFields,
  'heartbeat',
  'sslCheck',
  'sslCheckDomain',
  'script',
  'scriptPath',
  'dependencies',
  'runtimeWarning',
  'nextRunAt',
  'notifiesNobody',
  'status',
];
