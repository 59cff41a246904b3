// Snapshots of a script: files that its tests compare with, stored apart from the check.
import type { ScriptSnapshot, ScriptWork } from '#domain/checks/script.ts';
import type { ScriptProbeDeps } from '../../kind.ts';

/** Maximum snapshots of a check. */
export const mostSnapshots = 100;

/** Reads the content of snapshots; returns why the script cannot run if one is not stored. */
export async function readSnapshots(
  accountId: string,
  snapshots: readonly ScriptSnapshot[],
  { readScriptFile }: Pick<ScriptProbeDeps, 'readScriptFile'>,
): Promise<NonNullable<ScriptWork['snapshots']> | string> {
  const read: { readonly path: string; readonly content: Uint8Array }[] = [];
  for (const { path, key } of snapshots) {
    const content = await readScriptFile(accountId, key);
    if (content === null) return `the snapshot ${path} is not stored; upload it again`;
    read.push({ path, content });
  }
  const names = new Set(snapshots.map(({ path }) => path));
  const others = read.flatMap(({ path, content }) => {
    const name = withoutProject(path);
    return names.has(name) ? [] : [{ path: name, content }];
  });
  return [...read, ...others];
}

/** A snapshot of the project `chromium`, as Playwright names it where tests have no project. */
function withoutProject(path: string): string {
  return path.replace(/-chromium(-linux\.\w+)$/i, '$1');
}
