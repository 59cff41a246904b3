// Validates scripts when a check or group is saved: those of multi-step and browser checks, and setup and teardown
// scripts of API checks (docs/decisions/0086).
import type { JsonValue } from '#domain/json.ts';
import type { ScriptReading, ScriptFault } from '#domain/checks/script.ts';
import { type Problem, Refusal } from '../refusal.ts';
import type { Check } from '#domain/checks/check.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import { type Inherited, type RuntimeRules, scriptRuntime } from './script-runtime.ts';

export interface HookScriptDeps {
  /** Parses a script of an account without running it. */
  readonly scriptFault: (accountId: string, text: string) => Promise<ScriptReading>;
  readonly scriptsRefused: ScriptsRefused;
}

/** Why this installation runs no scripts, in a sentence; null = it does. */
export type ScriptsRefused = () => Promise<string | null>;

/** The fields that contain scripts. */
export const hookScriptFields = ['localSetupScript', 'localTearDownScript'] as const;

/** The owner of such fields: a group, or the settings of a check. */
type WithScripts = { readonly [Field in (typeof hookScriptFields)[number]]?: JsonValue };

/** Whether a change sets a script. */
export function isAboutHookScripts(written: WithScripts): boolean {
  return hookScriptFields.some((field) => typeof written[field] === 'string');
}

/**
 * Returns the problems of the changed scripts.
 * @param present the stored values: unchanged scripts are not validated again
 * @throws {Refusal} `unavailable` if a script could not be parsed in time
 */
export async function hookScriptProblems(
  accountId: string,
  written: WithScripts,
  present: WithScripts,
  { scriptFault, scriptsRefused }: HookScriptDeps,
): Promise<Problem[]> {
  // Both concurrently, to shorten the response time.
  const found = await Promise.all(
    hookScriptFields.map(async (path): Promise<Problem[]> => {
      const text = written[path];
      if (typeof text !== 'string' || text.trim() === '' || text === present[path]) return [];
      const refused = await scriptsRefused();
      if (refused !== null) return [{ path, message: `cannot run: ${refused}` }];
      const fault = faultRead(await scriptFault(accountId, text));
      return fault === null ? [] : [{ path, ...fault, message: `is not a valid script: ${fault.message}` }];
    }),
  );
  return found.flat();
}

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

/** All fields that contain scripts or their files. */
export const scriptFields = [...fields, ...hookScriptFields];

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

/** The problem; null = none. @throws {Refusal} `unavailable` if the script was not parsed */
function faultRead(reading: ScriptReading): ScriptFault | null {
  if (reading !== 'no room') return reading;
  const message = 'Too many scripts are being validated, so the changes were not saved. Try again in a moment.';
  throw new Refusal('unavailable', message, { retryAfterSeconds: 10 });
}
