// Fields that checks of every type have, as they are written and as they are shown (reference §4.3).
import { z } from 'zod';
import { frequency } from '#checks/schema.ts';
import { alertSettings, alertSettingsShown } from '../alerts/alert-settings.ts';
import { bodyInstant, instant, orNull } from '#lib/schema/fields.ts';
import { jsonObject } from '#lib/schema/json.ts';
import { readOnlyFields } from '#lib/schema/bodies.ts';
import {
  channelSubscriptions,
  channelSubscriptionsShown,
  locationList,
  ownVariables,
  ownVariablesRule,
  ownVariablesShown,
  privateLocationList,
  tagList,
} from '../lists.ts';
import { retryStrategy, retryStrategyShown } from './retry-strategy.ts';
import { warnings } from './warnings.ts';

/** As they are written; every one but `name` has a default. */
export const checkFields = {
  name: z.string().trim().min(1).max(200),
  description: z.string().max(510).nullable().default(null),
  activated: z.boolean().default(true).describe('Whether it runs.'),
  muted: z.boolean().default(false).describe('Run, but do not alert.'),
  mutedUntil: bodyInstant
    .nullable()
    .default(null)
    .describe('Muted until then, whatever `muted` says; what still fails then is alerted. ISO 8601.'),
  shouldFail: z
    .boolean()
    .default(false)
    .describe('A status of 400 or more counts as passed. Assertions are still evaluated.'),
  doubleCheck: z.boolean().default(true).describe('Accepted for older clients. Has no effect.'),
  locations: locationList.default([]).describe('Codes of run locations; empty = this server’s own.'),
  privateLocations: privateLocationList.default(null),
  tags: tagList.default([]),
  frequency,
  frequencyOffset: orNull(z.int().min(0).max(86_400), () => 0)
    .transform((value) => (value === 0 ? null : value))
    .default(null)
    .describe('Seconds: 10, 20 or 30 with frequency 0, else a fixed phase within the interval.'),
  runParallel: z.boolean().default(false).describe('In all locations at once, or in one after the other.'),
  groupId: z.int().min(1).nullable().default(null),
  groupOrder: z.int().min(0).nullable().default(null),
  runtimeId: z.string().max(100).nullable().default(null).describe('null = of the group, else of the account.'),
  runtimeFallback: z.boolean().default(false).describe('Go on with the account’s runtime when this one is removed.'),
  environmentVariables: ownVariables.default([]).describe(ownVariablesRule),
  alertSettings: alertSettings.nullable().default(null),
  useGlobalAlertSettings: z.boolean().default(true),
  alertChannelSubscriptions: channelSubscriptions.default([]),
  retryStrategy: retryStrategy.nullable().default(null).describe('null = no retry.'),
  triggerIncident: jsonObject.nullable().default(null).describe('Stored and returned. Has no effect.'),
};

/** As they are shown. */
export const checkFieldsShown = {
  name: z.string(),
  description: z.string().nullable(),
  activated: z.boolean(),
  muted: z.boolean(),
  mutedUntil: instant.nullable(),
  shouldFail: z.boolean(),
  doubleCheck: z.boolean(),
  locations: z.array(z.string()),
  privateLocations: z.array(z.string()).nullable(),
  tags: z.array(z.string()),
  frequency: z.int(),
  frequencyOffset: z.int().nullable(),
  runParallel: z.boolean(),
  groupId: z.int().nullable(),
  groupOrder: z.int().nullable(),
  runtimeId: z.string().nullable(),
  runtimeFallback: z.boolean(),
  environmentVariables: ownVariablesShown,
  alertSettings: alertSettingsShown.nullable(),
  useGlobalAlertSettings: z.boolean(),
  alertChannelSubscriptions: channelSubscriptionsShown,
  retryStrategy: retryStrategyShown.nullable(),
  triggerIncident: jsonObject.nullable(),
  notifiesNobody: z
    .boolean()
    .describe('No channel is notified if it fails: no active subscription of its own or of its group sends failures.'),
  nextRunAt: instant.nullable().describe('The next scheduled run; null for heartbeats and deactivated checks.'),
  warnings,
  created_at: instant,
  updated_at: instant.nullable(),
};

/** What reference clients send with every check, whatever its type, and what is read only (reference §5.6). */
export const ignored = [
  ...readOnlyFields,
  'heartbeat',
  'sslCheckDomain',
  'script',
  'scriptPath',
  'dependencies',
  'runtimeWarning',
  'nextRunAt',
  'notifiesNobody',
  'status',
];
