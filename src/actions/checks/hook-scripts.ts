// Validates the setup and teardown scripts of API checks when a check or group is saved (docs/decisions/0086).
import type { JsonValue } from '#domain/json.ts';
import type { ScriptReading } from '#domain/checks/script.ts';
import type { Problem } from '../problems.ts';
import { faultRead } from './script-reading.ts';

/** Dependencies of the validation. */
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
