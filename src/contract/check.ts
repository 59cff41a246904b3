// Checks on the wire (reference §4.3, decisions: Checks).
import { z } from 'zod';
import { alertSettings, alertSettingsShown } from './alert-settings.ts';
import { apiRequest, apiRequestShown } from './api-request.ts';
import { instant, orNull, pathUuid, updateOf } from './fields.ts';
import { jsonObject } from './json.ts';
import {
  channelSubscriptions,
  channelSubscriptionsShown,
  ignoring,
  locationList,
  ownVariables,
  ownVariablesShown,
  privateLocationList,
  readOnlyFields,
  tagList,
} from './lists.ts';
import { retryStrategy, retryStrategyShown } from './retry-strategy.ts';
import { scriptFields, scriptFieldsShown } from './scripts.ts';

/** Types of check that this server runs. */
export const checkTypes = ['API'] as const;

export const checkStatusNames = ['passing', 'failing', 'degraded'] as const;

/** ms; 0, which some clients send for "not set", is the default. */
function responseTime(byDefault: number, meaning: string) {
  return orNull(z.number().min(0).max(30_000), () => byDefault)
    .transform((value) => value || byDefault)
    .default(byDefault)
    .describe(`${meaning} ms, up to 30000.`);
}

/** Fields of an API check as they are written; every one but `name` and `request` has a default. */
const apiCheckFields = z.strictObject({
  name: z.string().trim().min(1).max(200),
  description: z.string().max(510).nullable().default(null),
  activated: z.boolean().default(true).describe('Whether it runs.'),
  muted: z.boolean().default(false).describe('Run, but do not alert.'),
  shouldFail: z.boolean().default(false).describe('A status of 400 and more counts as passed.'),
  doubleCheck: z.boolean().default(true).describe('Kept for older clients, without effect.'),
  locations: locationList.default([]).describe('Codes of run locations; empty = this server’s own.'),
  privateLocations: privateLocationList.default(null),
  tags: tagList.default([]),
  frequency: z
    .literal([0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440])
    .default(10)
    .describe('Minutes between runs; 0 = every `frequencyOffset` seconds.'),
  frequencyOffset: orNull(z.int().min(0).max(86_400), () => 0)
    .transform((value) => (value === 0 ? null : value))
    .default(null)
    .describe('Seconds: 10, 20 or 30 with frequency 0, else a fixed phase within the interval.'),
  runParallel: z.boolean().default(false).describe('In all locations at once, or in one after the other.'),
  groupId: z.int().min(1).nullable().default(null),
  groupOrder: z.int().min(0).nullable().default(null),
  runtimeId: z.string().max(100).nullable().default(null).describe('null = of the group, else of the account.'),
  runtimeFallback: z.boolean().default(false).describe('Go on with the account’s runtime when this one is removed.'),
  environmentVariables: ownVariables.default([]),
  alertSettings: alertSettings.nullable().default(null),
  useGlobalAlertSettings: z.boolean().default(true),
  alertChannelSubscriptions: channelSubscriptions.default([]),
  retryStrategy: retryStrategy.nullable().default(null).describe('null = no retry.'),
  triggerIncident: jsonObject.nullable().default(null).describe('Kept and given back, without effect.'),
  request: apiRequest,
  degradedResponseTime: responseTime(5000, 'Slower than this is degraded.'),
  maxResponseTime: responseTime(20_000, 'Slower than this is failed.'),
  ...scriptFields,
});

/** What reference clients send with every check, whatever its type, and what is read only (reference §5.6). */
const ignored = [...readOnlyFields, 'heartbeat', 'sslCheckDomain', 'script', 'scriptPath', 'dependencies', 'status'];

const checkType = z.literal('API', 'must be API: other types of check are not available');

export const apiCheckCreate = ignoring(ignored, apiCheckFields.extend({ checkType: checkType.default('API') })).meta({
  id: 'ApiCheckCreate',
});
export const anyCheckCreate = ignoring(ignored, apiCheckFields.extend({ checkType })).meta({ id: 'CheckCreate' });
export const checkUpdate = ignoring(
  ignored,
  updateOf(apiCheckFields).extend({ checkType: checkType.exactOptional() }),
).meta({ id: 'CheckUpdate' });

export const check = z
  .strictObject({
    id: z.uuid(),
    checkType: z.enum(checkTypes),
    name: z.string(),
    description: z.string().nullable(),
    activated: z.boolean(),
    muted: z.boolean(),
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
    request: apiRequestShown,
    degradedResponseTime: z.number(),
    maxResponseTime: z.number(),
    ...scriptFieldsShown,
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({ id: 'Check', description: 'What is watched, how often and from where.' });
export type CheckBody = z.output<typeof check>;

export const checkParams = z.object({ id: pathUuid('Id of the check.') });
