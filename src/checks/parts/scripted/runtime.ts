// Selects the runtime of a check's scripts, or builds the finding if there is none.
import type { ProbeInput } from '#domain/checks/probe.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import { runtimeChoice, runtimeWarnings, wantedRuntime } from '#domain/checks/runtime.ts';
import type { ScriptRuntime } from '../../kind.ts';

export interface ChosenRuntime {
  readonly runtime: ScriptRuntime;
  readonly warnings: readonly string[];
}

/** Selects the runtime by check, group and account settings, or returns why there is none (decisions: Runtimes). */
export function chooseRuntime(
  { check, group, accountRuntimeId }: ProbeInput,
  installed: readonly ScriptRuntime[],
  now: number,
): ChosenRuntime | { readonly message: string } {
  const wanted = wantedRuntime(check, group, accountRuntimeId);
  const choice = runtimeChoice(wanted, installed, now);
  if (choice.runtime === null) return { message: choice.message };
  return { runtime: choice.runtime, warnings: runtimeWarnings(wanted, choice, now) };
}

export function withoutRuntime(now: number, message: string): Finding {
  return bareFinding(now, { verdict: 'unknown', reason: 'runtime', message: `not run: ${message}` });
}

/** The environment of a script: the check's variables and its identity. */
export function environmentOf({ check, variables }: Pick<ProbeInput, 'check' | 'variables'>): Record<string, string> {
  const own = { CHECK_ID: check.id, CHECK_NAME: check.name, CHECK_TYPE: check.checkType };
  return { ...own, ...Object.fromEntries(variables.map(({ key, value }) => [key, value])) };
}
