// A folder of this machine that receives copies of status pages.
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, realpath, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { PageCopyError } from '#domain/status-pages/page-copies.ts';
import { type CopyPlace, listFolder } from './page-copier.ts';

/** End of the names of files that are not complete. */
const partEnd = '.part';

/** @param folder absolute path; created if missing */
export function createFolderPlace(folder: string): CopyPlace {
  let root: Promise<string> | null = null;
  /** Where the folder itself leads; nothing below it is followed. */
  const rootOf = async (): Promise<string> => {
    root ??= openRoot(folder).catch((error: unknown) => {
      root = null;
      throw error;
    });
    return root;
  };
  return {
    atOnce: 1,
    async read(path) {
      const base = await rootOf();
      if (!(await isWithin(base, path))) return null;
      return readFile(join(base, path)).catch(nullIfMissing);
    },
    async write(path, { content }) {
      const base = await rootOf();
      await makeFolders(base, dirname(path));
      const part = join(base, listFolder, `${randomBytes(9).toString('hex')}${partEnd}`);
      await makeFolders(base, listFolder);
      try {
        await writeFile(part, content, { flag: 'wx' });
        // Replaces a link, and does not follow it.
        await rename(part, join(base, path));
      } catch (error) {
        await unlink(part).catch(() => undefined);
        throw error;
      }
    },
    async remove(path) {
      const base = await rootOf();
      if (!(await isWithin(base, path))) return;
      await unlink(join(base, path)).catch(nullIfMissing);
      await removeEmpty(base, dirname(path));
    },
  };
}

/** Creates the folder, and removes files that a process left incomplete. */
async function openRoot(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const root = await realpath(folder);
  if (!(await isWithin(root, `${listFolder}/x`))) return root;
  for (const name of await readdir(join(root, listFolder))) {
    if (name.endsWith(partEnd)) await unlink(join(root, listFolder, name)).catch(nullIfMissing);
  }
  return root;
}

/** Whether the folder of a path exists; links are not followed. */
async function isWithin(root: string, path: string): Promise<boolean> {
  for (const folder of foldersOf(dirname(path))) {
    const found = await lstat(join(root, folder)).catch(nullIfMissing);
    if (found === null) return false;
    if (!found.isDirectory()) throw new PageCopyError(`${folder} in the folder is not a folder`);
  }
  return true;
}

async function makeFolders(root: string, path: string): Promise<void> {
  for (const folder of foldersOf(path)) {
    await mkdir(join(root, folder)).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    if (!(await lstat(join(root, folder))).isDirectory())
      throw new PageCopyError(`${folder} in the folder is not a folder`);
  }
}

async function removeEmpty(root: string, path: string): Promise<void> {
  for (const folder of foldersOf(path).toReversed()) {
    const isLeft = await rmdir(join(root, folder)).then(
      () => false,
      () => true,
    );
    if (isLeft) return;
  }
}

/** `a/b` has the folders `a` and `a/b`. */
function foldersOf(path: string): string[] {
  const parts = relative('.', path).split(sep).filter(Boolean);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function nullIfMissing(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return null;
  throw error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
