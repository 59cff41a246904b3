// A check, and what its settings are made of.
import type { AlertSettings } from '../alerts/alert-settings.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { JsonObject } from '../json.ts';

/** What a check watches, as users name it: `TCP`. Kinds of checks are known to those who register them alone. */
export type CheckType = string;

/** The checks of a type in paths of the API: `multistep`. */
export function pathOfType(type: CheckType): string {
  return type.toLowerCase().replaceAll('_', '');
}

/** How often a failing run is tried again before its verdict stands (reference: retryStrategy). */
export interface RetryStrategy {
  readonly type: 'NO_RETRIES' | 'SINGLE_RETRY' | 'FIXED' | 'LINEAR' | 'EXPONENTIAL';
  /** Seconds before the first retry. */
  readonly baseBackoffSeconds: number;
  /** 1..10. */
  readonly maxRetries: number;
  /** Seconds from the first attempt's start after which no retry begins, 0..600. */
  readonly maxDurationSeconds: number;
  /** Retry from the same run location, or from another one where there is one. */
  readonly sameRegion: boolean;
  /** Retry only on these; absent = on every failure. */
  readonly onlyOn?: readonly 'NETWORK_ERROR'[];
}

/** What is watched, how often and from where. The part that belongs to its type is in `settings`. */
export interface Check {
  readonly accountId: string;
  readonly id: string;
  readonly checkType: CheckType;
  readonly name: string;
  readonly description: string | null;
  readonly activated: boolean;
  readonly muted: boolean;
  /** Muted until then as well, epoch ms; null = not. */
  readonly mutedUntil: number | null;
  readonly shouldFail: boolean;
  /** Stored and returned, without effect (decisions: Checks). */
  readonly doubleCheck: boolean;
  /** Run location codes; empty = this server's own. */
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[] | null;
  readonly tags: readonly string[];
  /** Minutes between runs; 0 = every `frequencyOffset` seconds. */
  readonly frequency: number;
  /** Seconds: the interval itself when `frequency` is 0 (10, 20, 30), else a fixed phase within it. */
  readonly frequencyOffset: number | null;
  /** All locations at once, or one after the other (round robin). */
  readonly runParallel: boolean;
  readonly groupId: number | null;
  readonly groupOrder: number | null;
  readonly runtimeId: string | null;
  readonly runtimeFallback: boolean;
  readonly environmentVariables: readonly EnvironmentVariable[];
  readonly alertSettings: AlertSettings | null;
  readonly useGlobalAlertSettings: boolean;
  readonly retryStrategy: RetryStrategy | null;
  readonly triggerIncident: JsonObject | null;
  /** What only this type of check has; for API: request, degradedResponseTime, maxResponseTime, scripts. */
  readonly settings: JsonObject;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}
