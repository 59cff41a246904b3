// Puts the files that a run leaves where they are found after its end, and tells of each.
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of larger ones only that they were is told; what is taken is judged once more outside. */
const mostBytes = 10 << 20;
/** Pictures that a script asks for are copied up to here: more would only fill its disk. */
const mostRequested = 20;

/**
 * @param tell takes what is to be reported, an object each
 * @returns keeps a file, by its path or its content; `when`: `always`, or `failed` = if the run fails; `isNamed`: the script gave
 * it its name
 */
export function createKeeper(home, tell) {
  const folder = join(home, 'tmp', 'assets');
  let requested = 0;
  return ({ sort, name, when, isRequested = false, isNamed = false, path, content }) => {
    if (isRequested && ++requested > mostRequested) return;
    try {
      const bytes = content?.length ?? statSync(path).size;
      const told = { kind: 'asset', sort, name, when, isRequested, isNamed };
      if (bytes > mostBytes) {
        tell({ ...told, bytes, file: null });
        return;
      }
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = randomBytes(12).toString('hex');
      if (content === undefined) copyFileSync(path, join(folder, file));
      else writeFileSync(join(folder, file), content);
      tell({ ...told, bytes, file });
    } catch (error) {
      // Its disk is full, or the script has removed it.
      tell({
        kind: 'asset',
        sort,
        name,
        when,
        isRequested,
        isNamed,
        bytes: null,
        file: null,
        why: String(error?.message ?? error),
      });
    }
  };
}
