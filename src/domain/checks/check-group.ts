// Groups of checks, and what of one their checks need.
import type { AlertSettings } from '../alerts/alert-settings.ts';
import type { RetryStrategy } from './check.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { JsonObject } from '../json.ts';

/** Checks that belong together: shared settings, variables and channels, and one trigger for all of them. */
export interface CheckGroup {
  readonly accountId: string;
  /** Counts up per account. */
  readonly id: number;
  readonly name: string;
  readonly activated: boolean;
  readonly muted: boolean;
  /** Muted until then as well, epoch ms; null = not. */
  readonly mutedUntil: number | null;
  readonly tags: readonly string[];
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[] | null;
  readonly concurrency: number;
  readonly runtimeId: string | null;
  readonly environmentVariables: readonly EnvironmentVariable[];
  /** url, headers, queryParameters, assertions and basicAuth that its API checks inherit. */
  readonly apiCheckDefaults: JsonObject;
  readonly browserCheckDefaults: JsonObject;
  readonly doubleCheck: boolean;
  /** null = leave it to the check. */
  readonly runParallel: boolean | null;
  readonly useGlobalAlertSettings: boolean | null;
  readonly alertSettings: AlertSettings | null;
  /** `FALLBACK` = the checks' own. */
  readonly retryStrategy: RetryStrategy | 'FALLBACK' | null;
  readonly setupSnippetId: number | null;
  readonly tearDownSnippetId: number | null;
  readonly localSetupScript: string | null;
  readonly localTearDownScript: string | null;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** The scripts around the requests of all checks in a group. */
export type GroupScripts = Pick<CheckGroup, 'localSetupScript' | 'localTearDownScript'>;
