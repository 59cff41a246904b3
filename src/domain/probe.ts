// What passes between the path and a kind of check.
import type { Check } from './check.ts';
import type { CheckGroup } from './check-group.ts';
import type { EnvironmentVariable } from './environment-variable.ts';
import type { Finding } from './result.ts';

/** All that a probe needs, already resolved: nothing is looked up while it runs. Can be sent to another thread. */
export interface ProbeInput {
  readonly check: Check;
  /** Changes whenever anything here does: with the check's id it names this input. */
  readonly revision: number;
  /** The check's group, whose defaults (url, headers, assertions, basic auth) it inherits. */
  readonly group: CheckGroup | null;
  /** Check over group over account, secrets included: findings carry them redacted. */
  readonly variables: readonly EnvironmentVariable[];
  /** The runtime its account names; null = none, which leaves the CURRENT one (decisions: Runtimes). */
  readonly accountRuntimeId: string | null;
}

/** Looks at the target once. Never throws for what the target does: that is a finding. */
export type Probe = (input: ProbeInput, signal: AbortSignal) => Promise<Finding>;
