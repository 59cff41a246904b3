// What a script's folder takes on disk, without following a link out of it.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A file takes at least this much, so that many small ones count as well, bytes. */
const leastBytes = 4096;

/** Bytes below `folder`; stops counting above `most`. */
export async function folderUse(folder: string, most: number): Promise<number> {
  let bytes = 0;
  const open = [folder];
  for (let next = open.pop(); next !== undefined && bytes <= most; next = open.pop()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(next, entry.name);
      bytes += leastBytes;
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) bytes += (await lstat(path).catch(() => null))?.size ?? 0;
      if (bytes > most) break;
    }
  }
  return bytes;
}
