// Checks and their settings.
import type { AlertSettings } from '../alerts/alert-settings.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { JsonObject } from '../json.ts';
import type { IncidentTrigger } from '../status-pages/status-incident.ts';

/** Type of a check as users name it, such as `TCP`. Only the registry knows the kinds. */
export type CheckType = string;

/** Path segment of a type in the API, such as `multistep`. */
export function pathOfType(type: CheckType): string {
  return type.toLowerCase().replaceAll('_', '');
}

/** Retries of a failing run (reference: retryStrategy). */
export interface RetryStrategy {
  readonly type: 'NO_RETRIES' | 'SINGLE_RETRY' | 'FIXED' | 'LINEAR' | 'EXPONENTIAL';
  /** Seconds before the first retry. */
  readonly baseBackoffSeconds: number;
  /** 1..10. */
  readonly maxRetries: number;
  /** Seconds from the start of the first attempt after which no retry starts, 0..600. */
  readonly maxDurationSeconds: number;
  /** Retry from the same run location, or from another one if available. */
  readonly sameRegion: boolean;
  /** Errors to retry on; absent = every failure. */
  readonly onlyOn?: readonly 'NETWORK_ERROR'[];
}

/** Most tags of a check or group, and most channels that it notifies. */
export const mostTags = 100;
export const mostSubscriptions = 200;

/** A check: its schedule, locations and settings. `settings` contains the part specific to its type. */
export interface Check {
  readonly accountId: string;
  readonly id: string;
  readonly checkType: CheckType;
  readonly name: string;
  readonly description: string | null;
  /** http or https: what to do when it fails; null = none. */
  readonly runbookUrl: string | null;
  /** For the people who are notified, in every alert; null = none. */
  readonly notes: string | null;
  readonly activated: boolean;
  readonly muted: boolean;
  /** Muted until then as well, epoch ms; null = not. */
  readonly mutedUntil: number | null;
  /** Muted until it recovers from its present or next failure. */
  readonly mutedUntilRecovery: boolean;
  /** When that was set, epoch ms; null = it is not. */
  readonly mutedFrom: number | null;
  /** IDs of checks whose failure suppresses alerts of this one. */
  readonly dependsOn: readonly string[];
  readonly shouldFail: boolean;
  /** Stored and returned, without effect (decisions: Checks). */
  readonly doubleCheck: boolean;
  /** Run location codes; empty = this server's own. */
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[] | null;
  readonly tags: readonly string[];
  /** Minutes between runs; 0 = every `frequencyOffset` seconds. */
  readonly frequency: number;
  /** Seconds: the interval itself if `frequency` is 0 (10, 20, 30), otherwise a fixed offset within it. */
  readonly frequencyOffset: number | null;
  /** All locations at once instead of one after the other (round robin). */
  readonly runParallel: boolean;
  readonly groupId: number | null;
  readonly groupOrder: number | null;
  readonly runtimeId: string | null;
  readonly runtimeFallback: boolean;
  readonly environmentVariables: readonly EnvironmentVariable[];
  readonly alertSettings: AlertSettings | null;
  readonly useGlobalAlertSettings: boolean;
  readonly retryStrategy: RetryStrategy | null;
  /** The incident of status pages that its failure opens; null = none. */
  readonly triggerIncident: IncidentTrigger | null;
  /** Settings of the type; for API: request, degradedResponseTime, maxResponseTime, scripts. */
  readonly settings: JsonObject;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** What a check does not need to say: the settings of a new one, and those that it was saved without by an older version. */
export const plainCheck: Omit<Check, 'accountId' | 'id' | 'checkType' | 'name' | 'settings' | 'createdAt'> = {
  description: null,
  runbookUrl: null,
  notes: null,
  activated: true,
  muted: false,
  mutedUntil: null,
  mutedUntilRecovery: false,
  mutedFrom: null,
  dependsOn: [],
  shouldFail: false,
  doubleCheck: true,
  locations: [],
  privateLocations: null,
  tags: [],
  frequency: 10,
  frequencyOffset: null,
  runParallel: false,
  groupId: null,
  groupOrder: null,
  runtimeId: null,
  runtimeFallback: false,
  environmentVariables: [],
  alertSettings: null,
  useGlobalAlertSettings: true,
  retryStrategy: null,
  triggerIncident: null,
  updatedAt: null,
};

/** The fields that name locations. */
export type NamesLocations = Pick<Check, 'locations'> & Partial<Pick<Check, 'privateLocations'>>;

/** Codes of all locations that a check or group names, private ones last. */
export function namedLocations({ locations, privateLocations }: NamesLocations): readonly string[] {
  return privateLocations === undefined || privateLocations === null
    ? locations
    : [...new Set([...locations, ...privateLocations])];
}
