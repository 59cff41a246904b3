// Scripts around the request of API checks, judged when a check or a group is saved (docs/decisions/0086).
import type { JsonValue } from '#domain/json.ts';
import type { ScriptFault } from '#domain/script.ts';
import type { Problem } from './problems.ts';

/** What is needed to judge them. */
export interface AroundScriptMeans {
  /** Reads a text as a script without running it; null = it is one. */
  readonly scriptFault: (text: string) => Promise<ScriptFault | null>;
}

/** The fields that hold them. */
export const aroundScriptFields = ['localSetupScript', 'localTearDownScript'] as const;

type Written = { readonly [Field in (typeof aroundScriptFields)[number]]?: JsonValue };

/** What of the written scripts cannot be read as one. */
export async function aroundScriptProblems(written: Written, { scriptFault }: AroundScriptMeans): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const path of aroundScriptFields) {
    const text = written[path];
    if (typeof text !== 'string' || text.trim() === '') continue;
    const fault = await scriptFault(text);
    if (fault !== null) problems.push({ path, ...fault, message: `is no script that can run: ${fault.message}` });
  }
  return problems;
}
