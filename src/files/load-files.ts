// Finds the resource files of a folder, and reads nothing outside of it.
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { errorMessage } from '#lib/errors.ts';
import { FileProblemsError, type SourceText } from './file-problem.ts';
import type { FileNeeds } from './read-files.ts';

/** Most bytes of all files and scripts. */
const mostBytes = 12 * 1_048_576;
/** Most files of a folder. */
const mostFiles = 1000;

/** The files to read. */
export interface LoadedFiles {
  /** In the order of their names. Empty = the folder has no resource files. */
  readonly sources: readonly SourceText[];
  readonly readText: FileNeeds['readText'];
  readonly readBytes: FileNeeds['readBytes'];
}

/**
 * Loads a file, or the `*.yaml` and `*.yml` files of a folder and the folders in it. Folders whose name begins with a
 * dot are skipped, and `node_modules`. A symlink that is swapped meanwhile has no effect: its target is found once.
 * @throws {FileProblemsError} if a file cannot be read, is too large, or is outside of the folder
 */
export function loadFiles(path: string): LoadedFiles {
  try {
    const isFolder = statSync(path).isDirectory();
    const root = isFolder ? realpathSync(path) : dirname(realpathSync(path));
    const shown = (file: string): string => (isFolder ? join(path, file) : path);
    const budget = { left: mostBytes };
    const names = isFolder ? filesIn(root, '') : [relative(root, realpathSync(path))];
    if (names.length > mostFiles) throw new Error(`${path} has more than ${mostFiles} resource files`);
    const placed = new Map(names.map((name) => [shown(name), name]));
    const readBytes: FileNeeds['readBytes'] = (from, name) =>
      readInside(root, join(dirname(placed.get(from) ?? '.'), name), name, budget);
    return {
      sources: [...placed].map(([file, name]) => ({
        path: file,
        text: textOf(readInside(root, name, file, budget), file),
      })),
      readText: (from, name) => textOf(readBytes(from, name), name),
      readBytes,
    };
  } catch (error) {
    throw new FileProblemsError([{ message: readFailure(path, error), place: null }]);
  }
}

/** Names relative to the folder, in order. */
function filesIn(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = join(folder, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
      if (entry.isDirectory()) return filesIn(root, name);
      return /\.ya?ml$/.test(entry.name) ? [name] : [];
    });
}

/**
 * @param name relative to the folder
 * @param shown for messages
 */
function readInside(root: string, name: string, shown: string, budget: { left: number }): Uint8Array {
  const path = resolve(root, name);
  if (!isInside(root, path)) throw new Error(`${shown} is outside of the folder of the files`);
  let real: string;
  try {
    real = realpathSync(path);
  } catch (error) {
    throw new Error(readFailure(shown, error), { cause: error });
  }
  if (!isInside(root, real)) throw new Error(`${shown} is a link that leaves the folder of the files`);
  const file = statSync(real);
  if (!file.isFile()) throw new Error(`${shown} is not a file`);
  budget.left -= file.size;
  if (budget.left < 0) throw new Error(`${shown}: the files are larger than ${mostBytes / 1_048_576} MB in total`);
  try {
    return readFileSync(real);
  } catch (error) {
    throw new Error(readFailure(shown, error), { cause: error });
  }
}

function textOf(content: Uint8Array, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    throw new Error(`${shown} is not UTF-8 text`, { cause: error });
  }
}

function isInside(root: string, path: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Explains why a file could not be read, and names it. */
export function readFailure(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ENOENT') return `${path} does not exist`;
  if (code === 'EACCES') return `${path} cannot be read: permission denied`;
  if (code === 'EISDIR') return `${path} is a folder`;
  return code === '' ? errorMessage(error) : `${path} cannot be read: ${errorMessage(error)}`;
}
