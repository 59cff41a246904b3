// Disk use of a script's folder, without following links.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Minimum size counted per file, so that many small files count. */
const leastBytes = 4096;

/** Returns the bytes below `folder`; stops counting above `max`. */
export async function folderUse(folder: string, max: number): Promise<number> {
  let bytes = 0;
  const open = [folder];
  for (let next = open.pop(); next !== undefined && bytes <= max; next = open.pop()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(next, entry.name);
      bytes += leastBytes;
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) bytes += (await lstat(path).catch(() => null))?.size ?? 0;
      if (bytes > max) break;
    }
  }
  return bytes;
}
