// Which checks have scripts, by their kinds, which runtimes will do for them, and how they are read before they are saved.
import type { ProgramMeans } from '#actions/checks/program-scripts.ts';
import type { RuntimeRules } from '#actions/checks/script-runtime.ts';
import { checkKinds, kindOf } from '#checks/check-kinds.ts';
import { readScript } from '#checks/parts/scripted/settings.ts';
import type { ProbeInput } from '#domain/checks/probe.ts';
import type { InstalledRuntime } from '#sandbox/runtimes/read-runtimes.ts';
import type { ScriptReader } from '#sandbox/read-script.ts';

/** Whether a check is a script, or has some around what it measures: its own or its group's. */
export function isWithScripts({ check, group }: Pick<ProbeInput, 'check' | 'group'>): boolean {
  const kind = kindOf(check.checkType);
  return kind.isScripted === true || kind.around?.has(check, group) === true;
}

/** The same as the actions ask for it. */
export const scriptRules: Pick<RuntimeRules, 'scriptTypes' | 'refusesRuntime'> = {
  scriptTypes: checkKinds
    .filter(({ isScripted, around }) => isScripted === true || around !== undefined)
    .map(({ schema }) => schema.type),
  refusesRuntime(check, group) {
    const kind = kindOf(check.checkType);
    if (kind.isScripted === true) return kind.refusesRuntime;
    // Any runtime will do for a script around a request.
    return kind.around?.has(check, group) === true ? () => null : undefined;
  },
};

/** Reads scripts of checks as the installed runtimes would. */
export function programReader(
  runtimes: () => readonly InstalledRuntime[],
  reader: ScriptReader,
): ProgramMeans['programFault'] {
  return async ({ accountId, checkType, settings }, { name }) => {
    const runtime = runtimes().find((each) => each.name === name);
    if (kindOf(checkType).isScripted !== true || runtime === undefined) return null;
    const { entry, files, sort } = readScript(settings);
    const [script] = files;
    if (script === undefined) return null;
    return reader.programFault(accountId, { sort, path: entry, content: script.content }, runtime);
  };
}
