// The scripts around the request of an API check, in the order in which they run.
import type { GroupScripts } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import type { JsonValue } from '#domain/json.ts';
import type { ScriptFile } from '#domain/checks/script.ts';
import type { SnippetScript } from '#domain/scripts/snippet.ts';
import { text } from '../../parts/read.ts';

/** Names of the scripts before the request, in the order in which they run. */
export const setupNames = ['groupSetupSnippet', 'groupSetup', 'setupSnippet', 'setup'] as const;
/** Names of the scripts after the response. */
export const teardownNames = ['teardown', 'teardownSnippet', 'groupTeardown', 'groupTeardownSnippet'] as const;

export interface HookScript {
  readonly name: (typeof setupNames | typeof teardownNames)[number];
  /** Its name in messages. */
  readonly words: string;
  readonly file: ScriptFile;
}

/** Scripts of a check. The group's setup runs first and its teardown last. */
export interface ScriptsOfHooks {
  readonly before: readonly HookScript[];
  readonly after: readonly HookScript[];
}

/** @returns the scripts, or why they cannot run */
export function scriptsOfHooks(
  { settings }: Pick<Check, 'settings'>,
  group: GroupScripts | null,
  snippets: readonly SnippetScript[],
): ScriptsOfHooks | string {
  const missing = [
    settings['setupSnippetId'],
    settings['tearDownSnippetId'],
    group?.setupSnippetId,
    group?.tearDownSnippetId,
  ]
    .filter(isSnippet)
    .find((id) => !snippets.some((snippet) => snippet.id === id));
  if (missing !== undefined) return `snippet ${missing} does not exist`;
  const snippet = (name: HookScript['name'], words: string, id: JsonValue | undefined): readonly HookScript[] => {
    const found = isSnippet(id) ? snippets.find((each) => each.id === id) : undefined;
    return found === undefined ? [] : script(name, `${words} “${found.name}”`, `snippet-${found.id}.ts`, found.script);
  };
  const { localSetupScript: setup, localTearDownScript: teardown, setupSnippetId, tearDownSnippetId } = settings;
  return {
    before: [
      ...snippet('groupSetupSnippet', 'setup snippet of the group', group?.setupSnippetId),
      ...script('groupSetup', 'setup script of the group', 'group-setup.ts', group?.localSetupScript),
      ...snippet('setupSnippet', 'setup snippet', setupSnippetId),
      ...script('setup', 'setup script', 'setup.ts', setup),
    ],
    after: [
      ...script('teardown', 'teardown script', 'teardown.ts', teardown),
      ...snippet('teardownSnippet', 'teardown snippet', tearDownSnippetId),
      ...script('groupTeardown', 'teardown script of the group', 'group-teardown.ts', group?.localTearDownScript),
      ...snippet('groupTeardownSnippet', 'teardown snippet of the group', group?.tearDownSnippetId),
    ],
  };
}

/** Whether a check has scripts. Called before every run, so it does not build them. */
export function hasHookScripts({ settings }: Pick<Check, 'settings'>, group: GroupScripts | null): boolean {
  return [settings, group].some(
    (own) =>
      own !== null &&
      (isScript(own['localSetupScript']) ||
        isScript(own['localTearDownScript']) ||
        isSnippet(own['setupSnippetId']) ||
        isSnippet(own['tearDownSnippetId'])),
  );
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

/** Checks of earlier versions may have the ID 0, which is none. */
function isSnippet(id: JsonValue | undefined): id is number {
  return typeof id === 'number' && id > 0;
}
