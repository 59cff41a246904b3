// Scripts of multi-step and browser checks, read when a check is saved: one that cannot begin is refused with its place.
import type { Check } from '#domain/checks/check.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import type { ScriptReading } from '#domain/checks/script.ts';
import type { Problem } from '../problems.ts';
import type { ScriptsRefused } from './around-scripts.ts';
import { faultRead } from './script-reading.ts';
import { type Inherited, type RuntimeRules, scriptRuntime } from './script-runtime.ts';

/** What is needed to judge them. */
export interface ProgramMeans {
  /**
   * Reads the script of a check as that runtime would, without running it; null = it may run, or the check is no script. What
   * runs there is never refused.
   */
  readonly programFault: (
    check: Pick<Check, 'accountId' | 'checkType' | 'settings'>,
    runtime: Runtime,
  ) => Promise<ScriptReading>;
  readonly scriptsRefused: ScriptsRefused;
}

/** The fields that say what is run: files beside a script, too, say which sort it is. */
const fields = ['script', 'scriptPath', 'dependencies'] as const;

/** Whether a change is about it: a check is not judged because its runtime changes. */
export function isAboutProgram(settings: Check['settings']): boolean {
  return fields.some((field) => settings[field] !== undefined);
}

/**
 * What of the script of a check cannot be read in the runtime that it has; that it has none is told elsewhere.
 *
 * @throws {Refusal} `unavailable` when it could not be read in time
 */
export async function programProblems(
  check: Check,
  inherited: Inherited,
  means: ProgramMeans & RuntimeRules,
): Promise<Problem[]> {
  const refused = isAboutProgram(check.settings) ? await means.scriptsRefused() : null;
  if (refused !== null) return [{ path: 'script', message: `cannot run: ${refused}` }];
  const runtime = scriptRuntime(check, inherited, means);
  const fault = runtime === null ? null : faultRead(await means.programFault(check, runtime));
  if (runtime === null || fault === null) return [];
  const message = `is not a valid script for runtime ${runtime.name}: ${fault.message}`;
  return [{ path: 'script', ...fault, message }];
}
