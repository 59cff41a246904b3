// Stores the files of a run where they are found after its end, and reports each.
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Larger files are only reported. Stored files are checked again outside. */
const maxBytes = 10 << 20;
/** Maximum number of requested screenshots to copy, to limit disk use. */
const maxRequested = 20;

/**
 * Creates the function that stores a file.
 *
 * @param emit reports an object
 * @returns stores a file by its path or its content; `when`: `always`, or `failed` = only if the run fails; `isNamed`:
 * the script chose its name
 */
export function createKeeper(home, emit) {
  const folder = join(home, 'tmp', 'assets');
  let requested = 0;
  return ({ sort, name, when, isRequested = false, isNamed = false, path, content }) => {
    if (isRequested && ++requested > maxRequested) return;
    try {
      const bytes = content?.length ?? statSync(path).size;
      const reported = { kind: 'asset', sort, name, when, isRequested, isNamed };
      if (bytes > maxBytes) {
        emit({ ...reported, bytes, file: null });
        return;
      }
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = randomBytes(12).toString('hex');
      if (content === undefined) copyFileSync(path, join(folder, file));
      else writeFileSync(join(folder, file), content);
      emit({ ...reported, bytes, file });
    } catch (error) {
      // The disk is full, or the script has removed the file.
      emit({
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
