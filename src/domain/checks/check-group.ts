// Check groups, the parts of them that their checks need, and which checks a check needs (docs/decisions/0128).
import type { AlertSettings } from '../alerts/alert-settings.ts';
import type { RetryStrategy, Check } from './check.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { JsonObject } from '../json.ts';

/** A group of checks with shared settings, variables, channels and a trigger. */
export interface CheckGroup {
  readonly accountId: string;
  /** Numbered per account. */
  readonly id: number;
  readonly name: string;
  readonly activated: boolean;
  readonly muted: boolean;
  /** Muted until then as well, epoch ms; null = not. */
  readonly mutedUntil: number | null;
  /** Each check is muted until it recovers from its present or next failure. */
  readonly mutedUntilRecovery: boolean;
  /** When that was set, epoch ms; null = it is not. */
  readonly mutedFrom: number | null;
  /** IDs of checks whose failure suppresses alerts of the checks of this group. */
  readonly dependsOn: readonly string[];
  readonly tags: readonly string[];
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[] | null;
  readonly concurrency: number;
  readonly runtimeId: string | null;
  readonly environmentVariables: readonly EnvironmentVariable[];
  /** url, headers, queryParameters, assertions and basicAuth that API checks of the group inherit. */
  readonly apiCheckDefaults: JsonObject;
  readonly browserCheckDefaults: JsonObject;
  readonly doubleCheck: boolean;
  /** null = use the setting of the check. */
  readonly runParallel: boolean | null;
  readonly useGlobalAlertSettings: boolean | null;
  readonly alertSettings: AlertSettings | null;
  /** `FALLBACK` = use those of the checks. */
  readonly retryStrategy: RetryStrategy | 'FALLBACK' | null;
  readonly setupSnippetId: number | null;
  readonly tearDownSnippetId: number | null;
  readonly localSetupScript: string | null;
  readonly localTearDownScript: string | null;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** Setup and teardown scripts of all checks in a group. */
export type GroupScripts = Pick<
  CheckGroup,
  'localSetupScript' | 'localTearDownScript' | 'setupSnippetId' | 'tearDownSnippetId'
>;

/** Maximum number of checks that a check or group can name. */
export const maxDependencies = 10;

/** IDs of the checks that a check needs: its own list, and that of its group unless the check is in it. */
export function neededBy(
  check: Pick<Check, 'id' | 'dependsOn'>,
  group: Pick<CheckGroup, 'dependsOn'> | null,
): string[] {
  const ofGroup = group === null || group.dependsOn.includes(check.id) ? [] : group.dependsOn;
  return [...new Set([...check.dependsOn, ...ofGroup])].filter((id) => id !== check.id);
}
