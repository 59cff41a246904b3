// Takes the files that a run left out of its folder, before that goes: foreign files, looked at as such.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asset, AssetSort, AssetType } from '#domain/results/asset.ts';
import type { LeftOutAsset } from '#domain/checks/script.ts';
import type { ToldAsset } from './report.ts';

/** Of one file: the trace of a page with some hundred steps takes a few megabytes. */
const fileMost = 10 << 20;
/** Of a run: what a row of results can bear, and memory while they wait. */
const runMost = 20 << 20;
/** Of each sort: more than anybody looks at. */
const countMost: Readonly<Record<AssetSort, number>> = { screenshot: 10, trace: 3, video: 3 };

/** How the files of each type begin. */
const beginnings: readonly (readonly [AssetSort, AssetType, readonly number[]])[] = [
  ['screenshot', 'image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['screenshot', 'image/jpeg', [0xff, 0xd8, 0xff]],
  ['trace', 'application/zip', [0x50, 0x4b, 3, 4]],
  ['video', 'video/webm', [0x1a, 0x45, 0xdf, 0xa3]],
];

interface Taking {
  readonly owner: number;
  readonly hasFailed: boolean;
  readonly mask: (zip: Buffer) => Promise<Uint8Array | null>;
}

/** What was taken, and what was not. */
export interface TakenAssets {
  readonly assets: readonly Asset[];
  readonly leftOut: readonly LeftOutAsset[];
}

/**
 * Call it when nothing of the run is left running. Never rejects.
 *
 * @param home the script's folder
 * @param owner the user whose files they must be
 * @param mask takes hidden values out of a trace; null where that cannot be done
 */
export async function takeAssets(
  home: string,
  told: readonly ToldAsset[],
  { owner, hasFailed, mask }: Taking,
): Promise<TakenAssets> {
  const [taken, leftOut]: [Taken[], LeftOutAsset[]] = [[], []];
  const wanted = told.filter(({ isOfFailure }) => hasFailed || !isOfFailure);
  if (wanted.length === 0) return { assets: [], leftOut };
  const folder = await openFolder(home, ['tmp', 'assets']);
  let total = 0;
  try {
    for (const each of inOrder(wanted)) {
      const { sort, name, isNamed } = each;
      const leave = (bytes: number | null, why: LeftOutAsset['why']): void => void leftOut.push({ sort, bytes, why });
      const isFull = taken.filter(({ asset }) => asset.sort === sort).length >= countMost[sort];
      // One with a name may be there without it.
      if (isFull && !isNamed) {
        leave(each.bytes, 'count');
        continue;
      }
      const content = await contentOf(folder, each, owner, runMost - total);
      if ('why' in content) leave(content.bytes, content.why);
      else if (isThere(taken, each, content.bytes)) continue;
      else if (isFull) leave(content.bytes.length, 'count');
      else {
        const type = typeOf(sort, content.bytes);
        const shown = type !== null && sort === 'trace' ? await mask(content.bytes) : content.bytes;
        if (type === null || shown === null) leave(content.bytes.length, 'content');
        else taken.push({ asset: { sort, name, contentType: type, content: shown }, isNamed });
        total += content.bytes.length;
      }
    }
  } finally {
    await folder?.handle.close();
  }
  return { assets: taken.map(({ asset }) => asset), leftOut };
}

/** What shows the failure first: whatever else a script keeps must not crowd it out. Pictures before what is large. */
function inOrder(told: readonly ToldAsset[]): readonly ToldAsset[] {
  const rank = ({ isRequested, sort }: ToldAsset): number =>
    (isRequested ? 3 : 0) + ['screenshot', 'trace', 'video'].indexOf(sort);
  return told.toSorted((one, other) => rank(one) - rank(other));
}

/** One that was taken, and whether the script gave it its name. */
interface Taken {
  asset: Asset;
  isNamed: boolean;
}

/**
 * A picture that a test took and attached, or that shows what the one of its failure shows, is taken once: by the name that the
 * script gave it, because whoever wrote it looks for that. By two such names it is taken twice.
 */
function isThere(taken: readonly Taken[], { name, isNamed }: ToldAsset, bytes: Buffer): boolean {
  const same = taken.filter(({ asset: { content } }) => content.length === bytes.length && bytes.equals(content));
  if (!isNamed || same.some((each) => each.isNamed && each.asset.name === name)) return same.length > 0;
  const unnamed = same.find((each) => !each.isNamed);
  if (unnamed === undefined) return false;
  Object.assign(unnamed, { asset: { ...unnamed.asset, name }, isNamed });
  return true;
}

function typeOf(sort: AssetSort, bytes: Buffer): AssetType | null {
  const found = beginnings.find(
    ([of, , beginning]) => of === sort && beginning.every((byte, index) => bytes[index] === byte),
  );
  return found?.[1] ?? null;
}

interface Folder {
  readonly handle: FileHandle;
  readonly path: string;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Step by step, following no link; null = there is no such folder. */
async function openFolder(home: string, names: readonly string[]): Promise<Folder | null> {
  let handle: FileHandle | null = null;
  let path = home;
  try {
    handle = await open(home, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    for (const name of names) {
      const next: FileHandle = await open(within(handle, path, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      await handle.close();
      handle = next;
      path = join(path, name);
    }
    return { handle, path };
  } catch {
    await handle?.close().catch(() => undefined);
    return null;
  }
}

/** A name in the folder that is open, whatever has become of the path to it since; elsewhere than on Linux by that path. */
function within({ fd }: FileHandle, path: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}/${name}` : join(path, name);
}

type Content = { readonly bytes: Buffer } | Pick<LeftOutAsset, 'bytes' | 'why'>;

async function contentOf(
  folder: Folder | null,
  { file, bytes: told }: ToldAsset,
  owner: number,
  room: number,
): Promise<Content> {
  if (file === null) return { bytes: told, why: told !== null && told > fileMost ? 'size' : 'content' };
  if (folder === null) return { bytes: told, why: 'content' };
  let handle: FileHandle | null = null;
  try {
    // Without waiting: of a pipe nobody would ever write the other end.
    handle = await open(within(folder.handle, folder.path, file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const facts = await handle.stat();
    // With a second name it may be a file of somebody else.
    if (!facts.isFile() || facts.nlink !== 1 || facts.uid !== owner) return { bytes: null, why: 'content' };
    if (facts.size > fileMost) return { bytes: facts.size, why: 'size' };
    if (facts.size > room) return { bytes: facts.size, why: 'total' };
    const bytes = Buffer.alloc(facts.size);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, bytesRead) };
  } catch {
    return { bytes: null, why: 'content' };
  } finally {
    await handle?.close().catch(() => undefined);
  }
}
