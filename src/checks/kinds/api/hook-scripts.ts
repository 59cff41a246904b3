// The scripts around the request of an API check, in the order in which they run.
import type { GroupScripts } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import type { JsonValue } from '#domain/json.ts';
import type { ScriptFile } from '#domain/checks/script.ts';
import { text } from '../../parts/read.ts';

export interface HookScript {
  readonly name: 'groupSetup' | 'setup' | 'teardown' | 'groupTeardown';
  /** Its name in messages. */
  readonly words: string;
  readonly file: ScriptFile;
}

/** Scripts of a check. The group's setup runs first and its teardown last. */
export interface ScriptsOfHooks {
  readonly before: readonly HookScript[];
  readonly after: readonly HookScript[];
}

export function scriptsOfHooks({ settings }: Pick<Check, 'settings'>, group: GroupScripts | null): ScriptsOfHooks {
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

/** Whether a check has scripts. Called before every run, so it does not build them. */
export function hasHookScripts({ settings }: Pick<Check, 'settings'>, group: GroupScripts | null): boolean {
  const { localSetupScript, localTearDownScript } = settings;
  const all = [localSetupScript, localTearDownScript, group?.localSetupScript, group?.localTearDownScript];
  return all.some(isScript);
}

function script(
  name: HookScript['name'],
  words: string,
  path: string,
  content: JsonValue | undefined,
): readonly HookScript[] {
  return isScript(content) ? [{ name, words, file: { path, content: text(content) } }] : [];
}

function isScript(content: JsonValue | undefined): boolean {
  return typeof content === 'string' && content.trim() !== '';
}
