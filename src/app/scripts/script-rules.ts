// Which checks have scripts, which runtimes support them, and how scripts are validated before they are saved.
import type { ProgramDeps } from '#actions/checks/check-scripts.ts';
import type { RuntimeRules } from '#actions/checks/script-runtime.ts';
import { checkKinds, kindOf } from '#checks/check-kinds.ts';
import { readScript } from '#checks/parts/scripted/settings.ts';
import type { ProbeInput } from '#domain/checks/probe.ts';
import type { InstalledRuntime } from '#sandbox/runtimes/read-runtimes.ts';
import type { ScriptReader } from '#sandbox/read-script.ts';

/** Whether a check is a script or has setup or teardown scripts, its own or its group's. */
export function isWithScripts({ check, group }: Pick<ProbeInput, 'check' | 'group'>): boolean {
  const kind = kindOf(check.checkType);
  return kind.isScripted === true || kind.hooks?.has(check, group) === true;
}

/** The same rules in the form that the actions need. */
export const scriptRules: Pick<RuntimeRules, 'scriptTypes' | 'refusesRuntime'> = {
  scriptTypes: checkKinds
    .filter(({ isScripted, hooks }) => isScripted === true || hooks !== undefined)
    .map(({ schema }) => schema.type),
  refusesRuntime(check, group) {
    const kind = kindOf(check.checkType);
    if (kind.isScripted === true) return kind.refusesRuntime;
    // Setup and teardown scripts run in any runtime.
    return kind.hooks?.has(check, group) === true ? () => null : undefined;
  },
};

/** Parses scripts of checks as the installed runtimes would. */
export function programReader(
  runtimes: () => readonly InstalledRuntime[],
  reader: ScriptReader,
): ProgramDeps['programFault'] {
  return async ({ accountId, checkType, settings }, { name }) => {
    const runtime = runtimes().find((each) => each.name === name);
    if (kindOf(checkType).isScripted !== true || runtime === undefined) return null;
    const { entry, files, sort } = readScript(settings);
    const [script, ...others] = files;
    if (script === undefined) return null;
    return reader.programFault(accountId, { sort, path: entry, content: script.content, files: others }, runtime);
  };
}
