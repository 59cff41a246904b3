// The files of a scripted check, which the `checkly` command line sends once for all checks.
import type { CliProjectBody } from '#contract/vendor/cli-project.ts';
import type { JsonObject } from '#domain/json.ts';

/** Where setup and teardown scripts came from, which is not stored. */
const ofHooks = /^(setup|tearDown)Script(Path|Dependencies)$/;

/** A check with its files in place of their positions in the list of all files. */
export function withFiles(payload: JsonObject, sharedFiles: CliProjectBody['sharedFiles']): JsonObject {
  const { dependencies, snapshots, ...others } = payload;
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !ofHooks.test(name)));
  const files = Array.isArray(dependencies)
    ? dependencies.flatMap((position) => {
        const file = typeof position === 'number' ? sharedFiles[position] : undefined;
        return file === undefined ? [] : [{ path: file.path, content: file.content }];
      })
    : [];
  return {
    ...rest,
    ...(files.length > 0 && { dependencies: files }),
    // Of a check without pictures to compare with, the list is empty.
    ...(Array.isArray(snapshots) && snapshots.length > 0 && { snapshots }),
  };
}

/** Characters of the files that a check imports. */
export function importedLength({ dependencies }: JsonObject): number {
  const files = Array.isArray(dependencies) ? (dependencies as readonly JsonObject[]) : [];
  return files.reduce((sum, { content }) => sum + (typeof content === 'string' ? content.length : 0), 0);
}
