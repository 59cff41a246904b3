// Which checks have scripts, by their kinds, and which runtimes will do for them.
import type { RuntimeRules } from '#actions/script-runtime.ts';
import { checkKinds } from '#checks/registry.ts';
import { checkTypes } from '#domain/check.ts';
import type { ProbeInput } from '#domain/probe.ts';

/** Whether a check is a script, or has some around what it measures: its own or its group's. */
export function isWithScripts({ check, group }: Pick<ProbeInput, 'check' | 'group'>): boolean {
  const kind = checkKinds[check.checkType];
  return kind.isScripted === true || kind.around?.has(check, group) === true;
}

/** The same as the actions ask for it. */
export const scriptRules: Pick<RuntimeRules, 'scriptTypes' | 'refusesRuntime'> = {
  scriptTypes: checkTypes.filter(
    (type) => checkKinds[type].isScripted === true || checkKinds[type].around !== undefined,
  ),
  refusesRuntime(check, group) {
    const kind = checkKinds[check.checkType];
    if (kind.isScripted === true) return kind.refusesRuntime;
    // Any runtime will do for a script around a request.
    return kind.around?.has(check, group) === true ? () => null : undefined;
  },
};
