// Validates the scripts of multi-step and browser checks when a check is saved.
import type { Check } from '#domain/checks/check.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import type { ScriptReading } from '#domain/checks/script.ts';
import type { Problem } from '../problems.ts';
import type { ScriptsRefused } from './hook-scripts.ts';
import { faultRead } from './script-reading.ts';
import { type Inherited, type RuntimeRules, scriptRuntime } from './script-runtime.ts';

/** Dependencies of the validation. */
export interface ProgramDeps {
  /**
   * Parses a script as the runtime would, without running it; null = it is valid, or the check has no script. Never
   * rejects a script that would run.
   */
  readonly programFault: (
    check: Pick<Check, 'accountId' | 'checkType' | 'settings'>,
    runtime: Runtime,
  ) => Promise<ScriptReading>;
  readonly scriptsRefused: ScriptsRefused;
}

/** The fields that define the program. The other files of a script also determine its module type. */
const fields = ['script', 'scriptPath', 'dependencies'] as const;

/** Whether a change affects the program. A new runtime alone is not validated. */
export function isAboutProgram(settings: Check['settings']): boolean {
  return fields.some((field) => settings[field] !== undefined);
}

/**
 * Problems of a script in the runtime of its check. A missing runtime is reported elsewhere.
 * @throws {Refusal} `unavailable` if it could not be parsed in time
 */
export async function programProblems(
  check: Check,
  inherited: Inherited,
  deps: ProgramDeps & RuntimeRules,
): Promise<Problem[]> {
  const refused = isAboutProgram(check.settings) ? await deps.scriptsRefused() : null;
  if (refused !== null) return [{ path: 'script', message: `cannot run: ${refused}` }];
  const runtime = scriptRuntime(check, inherited, deps);
  const fault = runtime === null ? null : faultRead(await deps.programFault(check, runtime));
  if (runtime === null || fault === null) return [];
  const message = `is not a valid script for runtime ${runtime.name}: ${fault.message}`;
  return [{ path: 'script', ...fault, message }];
}
