/** A named value of an account, a group or a check. Secrets may be used by checks, never by alert templates (spec §5). */
export interface EnvironmentVariable {
  readonly key: string;
  readonly value: string;
  /** Shown to those who may change it, redacted in every log. */
  readonly locked: boolean;
  /** Never shown again and never given to a template. */
  readonly secret: boolean;
}

/** Variables by precedence: a later list wins over an earlier one (account, then group, then check). */
export function mergeVariables(...lists: readonly (readonly EnvironmentVariable[])[]): EnvironmentVariable[] {
  if (lists.every(({ length }) => length === 0)) return [];
  const byKey = new Map<string, EnvironmentVariable>();
  for (const list of lists) for (const variable of list) byKey.set(variable.key, variable);
  return [...byKey.values()];
}
