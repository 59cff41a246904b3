// The runtime that scripts of a check run in, and the finding where there is none.
import type { ProbeInput } from '#domain/checks/probe.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import { runtimeChoice, runtimeWarnings, wantedRuntime } from '#domain/checks/runtime.ts';
import type { ScriptRuntime } from '../../kind.ts';

/** A runtime with what is to be said of it. */
export interface ChosenRuntime {
  readonly runtime: ScriptRuntime;
  readonly warnings: readonly string[];
}

/** Chooses it as its check, its group and its account say, or says in a sentence why there is none (decisions: Runtimes). */
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

/** The finding of a check that has no runtime. */
export function withoutRuntime(now: number, message: string): Finding {
  return bareFinding(now, { verdict: 'unknown', reason: 'runtime', message: `not run: ${message}` });
}

/** What of a check's variables nothing may show. */
export function hiddenVariables({ variables }: Pick<ProbeInput, 'variables'>): string[] {
  return variables.filter(({ locked, secret }) => locked || secret).map(({ value }) => value);
}

/** What the environment of a script holds: its check's variables, and which check that is. */
export function environmentOf({ check, variables }: Pick<ProbeInput, 'check' | 'variables'>): Record<string, string> {
  const own = { CHECK_ID: check.id, CHECK_NAME: check.name, CHECK_TYPE: check.checkType };
  return { ...own, ...Object.fromEntries(variables.map(({ key, value }) => [key, value])) };
}
