/**
 * A named value of an account, group or check. Secrets are available to checks, but not to alert templates (spec §5).
 */
export interface EnvironmentVariable {
  readonly key: string;
  readonly value: string;
  /** Shown only to callers who may change it, and redacted in all logs. */
  readonly locked: boolean;
  /** Never shown again and not available in templates. */
  readonly secret: boolean;
}

/** Merges variables by precedence: later lists override earlier ones (account, group, check). */
export function mergeVariables(...lists: readonly (readonly EnvironmentVariable[])[]): EnvironmentVariable[] {
  if (lists.every(({ length }) => length === 0)) return [];
  const byKey = new Map<string, EnvironmentVariable>();
  for (const list of lists) for (const variable of list) byKey.set(variable.key, variable);
  return [...byKey.values()];
}
