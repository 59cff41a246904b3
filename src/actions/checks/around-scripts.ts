// Scripts around the request of API checks, judged when a check or a group is saved (docs/decisions/0086).
import type { JsonValue } from '#domain/json.ts';
import type { ScriptReading } from '#domain/checks/script.ts';
import type { Problem } from '../problems.ts';
import { faultRead } from './script-reading.ts';

/** What is needed to judge them. */
export interface AroundScriptMeans {
  /** Reads a text of an account as a script without running it. */
  readonly scriptFault: (accountId: string, text: string) => Promise<ScriptReading>;
  readonly scriptsRefused: ScriptsRefused;
}

/** Why this installation runs no scripts, in a sentence; null = it does. */
export type ScriptsRefused = () => Promise<string | null>;

/** The fields that hold them. */
export const aroundScriptFields = ['localSetupScript', 'localTearDownScript'] as const;

/** What has them: a group, or the settings of a check. */
type WithScripts = { readonly [Field in (typeof aroundScriptFields)[number]]?: JsonValue };

/** Whether a change writes one. */
export function isAboutAroundScripts(written: WithScripts): boolean {
  return aroundScriptFields.some((field) => typeof written[field] === 'string');
}

/**
 * What of the written scripts cannot be read as one.
 *
 * @param present what is there: scripts that stay as they are are not judged again
 * @throws {Refusal} `unavailable` when one could not be read in time
 */
export async function aroundScriptProblems(
  accountId: string,
  written: WithScripts,
  present: WithScripts,
  { scriptFault, scriptsRefused }: AroundScriptMeans,
): Promise<Problem[]> {
  // Both at once: whoever saves them waits no longer than for one.
  const found = await Promise.all(
    aroundScriptFields.map(async (path): Promise<Problem[]> => {
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
