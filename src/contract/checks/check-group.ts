// Check groups in the API (reference §4.4).
import { z } from 'zod';
import { alertSettings } from '../alerts/alert-settings.ts';
import { apiCheckDefaults } from '#checks/parts/http/schema.ts';
import { bodyInstant, instant, orNull, pathNumber, updateOf } from '#lib/schema/fields.ts';
import { jsonObject } from '#lib/schema/json.ts';
import { creating, ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
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
import { scriptFields } from '#checks/parts/scripted/schema.ts';
import { warnings } from '../responses.ts';

const common = z.strictObject({
  name: z.string().trim().min(1).max(200),
  activated: z.boolean().default(true).describe('Whether the checks of the group run.'),
  muted: z.boolean().default(false).describe('Run the checks of the group, but send no alerts.'),
  mutedUntil: showAs(
    bodyInstant
      .nullable()
      .default(null)
      .describe(
        'Muted until this time, whatever `muted` is. If a check still fails then, the alert is sent. ISO 8601.',
      ),
    instant.nullable(),
  ),
  mutedUntilRecovery: z
    .boolean()
    .default(false)
    .describe(
      'Each check of the group is muted until it recovers from its present or next failure, and all of them until one has recovered and none fails. Then this is false again.',
    ),
  dependsOn: dependencyList.default([]).describe(`For the checks of the group: ${dependencyRule}`),
  tags: tagList.default([]),
  locations: locationList.default([]),
  privateLocations: privateLocationList.default(null),
  concurrency: z
    .int()
    .min(1)
    .max(10_000)
    .default(3)
    .describe('Accepted for older clients: all checks always start in parallel.'),
  runtimeId: z.string().max(100).nullable().default(null),
  environmentVariables: ownVariables
    .default([])
    .describe(`Override the account’s; overridden by the check’s. ${ownVariablesRule}`),
  apiCheckDefaults: orNull(apiCheckDefaults, () => apiCheckDefaults.parse({})).prefault({}),
  browserCheckDefaults: orNull(jsonObject, () => ({})).default({}),
  alertChannelSubscriptions: channelSubscriptions.default([]),
  ...scriptFields,
});

const retryOrFallback = z
  .union([retryStrategy, z.literal('FALLBACK'), z.null()])
  .describe('FALLBACK = use those of the checks; null = no retries.');

const firstVersion = common.extend({
  doubleCheck: z.boolean().default(true).describe('Accepted for older clients. Has no effect.'),
  runParallel: z.boolean().nullable().default(false),
  useGlobalAlertSettings: z.boolean().nullable().default(true),
  alertSettings: alertSettings
    .nullable()
    .default({ escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 1 } }),
  retryStrategy: retryOrFallback.default('FALLBACK'),
});

const secondVersion = common.extend({
  doubleCheck: z.boolean().default(false).describe('Accepted for older clients. Has no effect.'),
  runParallel: z.boolean().nullable().default(null).describe('null = use the setting of the check.'),
  useGlobalAlertSettings: z.boolean().nullable().default(null).describe('null = use the setting of the check.'),
  alertSettings: alertSettings.nullable().default(null).describe('null = use the setting of the check.'),
  retryStrategy: retryOrFallback.default('FALLBACK'),
});

const ignored = [...readOnlyFields, 'v'];
export const groupCreate = creating(ignored, firstVersion).meta({ id: 'CheckGroupCreate' });
export const groupUpdate = ignoring(ignored, updateOf(firstVersion)).meta({ id: 'CheckGroupUpdate' });
export const groupCreateV2 = creating(ignored, secondVersion).meta({ id: 'CheckGroupCreateV2' });
export const groupUpdateV2 = ignoring(ignored, updateOf(secondVersion)).meta({ id: 'CheckGroupUpdateV2' });

export const checkGroup = z
  .strictObject({
    id: z.int(),
    ...shownFields(secondVersion.shape),
    warnings,
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({ id: 'CheckGroup', description: 'A group of checks with shared settings.' });
export type CheckGroupBody = z.output<typeof checkGroup>;

export const groupParams = z.object({ id: pathNumber('ID of the group.') });
