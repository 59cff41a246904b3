// Validates scripts when a check or group is saved: those of multi-step and browser checks, and setup and teardown
// scripts of API checks (docs/decisions/0086).
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { type ScriptFault, type ScriptReading, snapshotsOf } from '#domain/checks/script.ts';
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
  deps: HookScriptDeps,
): Promise<Problem[]> {
  // Both concurrently, to shorten the response time.
  const found = await Promise.all(
    hookScriptFields.map(async (path): Promise<Problem[]> => {
      const text = written[path];
      if (typeof text !== 'string' || text.trim() === '' || text === present[path]) return [];
      return scriptTextProblems(accountId, path, text, deps);
    }),
  );
  return found.flat();
}

/** Why a setup or teardown script cannot run. @throws {Refusal} `unavailable` if it could not be parsed in time */
export async function scriptTextProblems(
  accountId: string,
  path: string,
  text: string,
  { scriptFault, scriptsRefused }: HookScriptDeps,
): Promise<Problem[]> {
  const refused = await scriptsRefused();
  if (refused !== null) return [{ path, message: `cannot run: ${refused}` }];
  const fault = faultRead(await scriptFault(accountId, text));
  return fault === null ? [] : [{ path, ...fault, message: `is not a valid script: ${fault.message}` }];
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
  readonly scriptFiles: {
    /** Sizes of stored files by key, bytes, without those that do not exist. They stay stored for at least a day. */
    use(accountId: string, keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  };
}

/** The fields that define the program. The other files of a script also determine its module type. */
const fields = ['script', 'scriptPath', 'dependencies', 'snapshots'] as const;

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
  const missing = await snapshotProblems(check, deps);
  if (missing.length > 0) return missing;
  const runtime = scriptRuntime(check, inherited, deps);
  const fault = runtime === null ? null : faultRead(await deps.programFault(check, runtime));
  if (runtime === null || fault === null) return [];
  const { file, ...place } = fault;
  const named = file === undefined ? '' : `${file} `;
  const message = `${named}is not a valid script for runtime ${runtime.name}: ${fault.message}`;
  return [{ ...place, path: fieldOf(file, check.settings), message }];
}

/** The field that contains a file of a script. */
function fieldOf(file: string | undefined, { dependencies }: Check['settings']): string {
  const files = Array.isArray(dependencies) ? (dependencies as readonly JsonObject[]) : [];
  const index = file === undefined ? -1 : files.findIndex(({ path }) => path === file);
  return index < 0 ? 'script' : `dependencies[${index}].content`;
}

/** Maximum size of the snapshots of a check, bytes: a run writes them. */
const maxSnapshotBytes = 20 * 1_048_576;

/** Problems of snapshots that are not stored, or too large together. */
async function snapshotProblems(
  { accountId, settings }: Pick<Check, 'accountId' | 'settings'>,
  { scriptFiles }: Pick<ProgramDeps, 'scriptFiles'>,
): Promise<Problem[]> {
  const keys = snapshotsOf(settings).map(({ key }) => key);
  if (keys.length === 0) return [];
  const sizes = await scriptFiles.use(accountId, [...new Set(keys)]);
  const missing = keys.flatMap((key, index) => (sizes.has(key) ? [] : [index]));
  if (missing.length > 0) {
    const message = 'is not the key of a stored file; upload it with POST /v1/script-files';
    return missing.map((index) => ({ path: `snapshots[${index}].key`, message }));
  }
  const bytes = keys.reduce((sum, key) => sum + (sizes.get(key) ?? 0), 0);
  return bytes > maxSnapshotBytes ? [{ path: 'snapshots', message: 'must be at most 20 MB together' }] : [];
}

/** The problem; null = none. @throws {Refusal} `unavailable` if the script was not parsed */
function faultRead(reading: ScriptReading): ScriptFault | null {
  if (reading !== 'no room') return reading;
  const message = 'Too many scripts are being validated, so the changes were not saved. Try again in a moment.';
  throw new Refusal('unavailable', message, { retryAfterSeconds: 10 });
}
