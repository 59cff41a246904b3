// The scripts around the request of an API check, its own and its group's, in the order in which they run.
import type { GroupScripts } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import type { JsonValue } from '#domain/json.ts';
import type { ScriptFile } from '#domain/checks/script.ts';
import { text } from '../../parts/read.ts';

/** One of them. */
export interface AroundScript {
  readonly name: 'groupSetup' | 'setup' | 'teardown' | 'groupTeardown';
  /** What it is called in sentences. */
  readonly words: string;
  readonly file: ScriptFile;
}

/** Those of a check: what comes first for all of a group comes last for all of it, too. */
export interface ScriptsAround {
  readonly before: readonly AroundScript[];
  readonly after: readonly AroundScript[];
}

export function scriptsAround({ settings }: Pick<Check, 'settings'>, group: GroupScripts | null): ScriptsAround {
  const { localSetupScript: setup, localTearDownScript: teardown } = settings;
  return {
    before: [
      ...script('groupSetup', 'setup script of the group', 'group-setup.ts', group?.localSetupScript),
      ...script('setup', 'setup script', 'setup.ts', setup),
    ],
    after: [
      ...script('teardown', 'teardown script', 'teardown.ts', teardown),
      ...script('groupTeardown', 'teardown script of the group', 'group-teardown.ts', group?.localTearDownScript),
    ],
  };
}

/** Whether there is any: asked before every run, so without making them. */
export function hasScriptsAround({ settings }: Pick<Check, 'settings'>, group: GroupScripts | null): boolean {
  const { localSetupScript, localTearDownScript } = settings;
  const all = [localSetupScript, localTearDownScript, group?.localSetupScript, group?.localTearDownScript];
  return all.some(isScript);
}

function script(
  name: AroundScript['name'],
  words: string,
  path: string,
  content: JsonValue | undefined,
): readonly AroundScript[] {
  return isScript(content) ? [{ name, words, file: { path, content: text(content) } }] : [];
}

function isScript(content: JsonValue | undefined): boolean {
  return typeof content === 'string' && content.trim() !== '';
}
