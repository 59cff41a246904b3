// Collects the files of a run before its folder is removed. They are untrusted.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asset, AssetSort, AssetType } from '#domain/results/asset.ts';
import type { LeftOutAsset } from '#domain/checks/script.ts';
import type { ReportedAsset } from './report.ts';

/** Maximum bytes of a file. The trace of a page with some hundred steps is a few megabytes. */
const maxFile = 10 << 20;
/** Maximum bytes per run, for database rows and memory. */
const maxRun = 20 << 20;
/** Maximum files per type. */
const maxCount: Readonly<Record<AssetSort, number>> = { screenshot: 10, trace: 3, video: 3 };

/** Magic numbers of file types. */
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

/** Collected and skipped files. */
export interface TakenAssets {
  readonly assets: readonly Asset[];
  readonly leftOut: readonly LeftOutAsset[];
}

/**
 * Call it after all processes of the run have ended. Never rejects.
 *
 * @param home the script's folder
 * @param owner required owner of the files
 * @param mask masks secrets in a trace; null if impossible
 */
export async function takeAssets(
  home: string,
  reported: readonly ReportedAsset[],
  { owner, hasFailed, mask }: Taking,
): Promise<TakenAssets> {
  const [taken, leftOut]: [Taken[], LeftOutAsset[]] = [[], []];
  const wanted = reported.filter(({ isOfFailure }) => hasFailed || !isOfFailure);
  if (wanted.length === 0) return { assets: [], leftOut };
  const folder = await openFolder(home, ['tmp', 'assets']);
  let total = 0;
  try {
    for (const each of inOrder(wanted)) {
      const { sort, name, isNamed } = each;
      const leave = (bytes: number | null, why: LeftOutAsset['why']): void => void leftOut.push({ sort, bytes, why });
      const isFull = taken.filter(({ asset }) => asset.sort === sort).length >= maxCount[sort];
      // A named file may already be stored without its name.
      if (isFull && !isNamed) {
        leave(each.bytes, 'count');
        continue;
      }
      const content = await contentOf(folder, each, owner, maxRun - total);
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

/** Files about the failure come first, so that others cannot displace them; screenshots before large files. */
function inOrder(reported: readonly ReportedAsset[]): readonly ReportedAsset[] {
  const rank = ({ isRequested, sort }: ReportedAsset): number =>
    (isRequested ? 3 : 0) + ['screenshot', 'trace', 'video'].indexOf(sort);
  return reported.toSorted((one, other) => rank(one) - rank(other));
}

/** A collected file, and whether the script named it. */
interface Taken {
  asset: Asset;
  isNamed: boolean;
}

/**
 * Whether a screenshot is a duplicate: the test attached it, or it equals the failure screenshot. Keep the name that
 * the script chose. Two different names are kept.
 */
function isThere(taken: readonly Taken[], { name, isNamed }: ReportedAsset, bytes: Buffer): boolean {
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

/** Opens a folder step by step without following links; null if it does not exist. */
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

/** Path of a name in an open folder, independent of changes to its path. Only on Linux. */
function within({ fd }: FileHandle, path: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}/${name}` : join(path, name);
}

type Content = { readonly bytes: Buffer } | Pick<LeftOutAsset, 'bytes' | 'why'>;

async function contentOf(
  folder: Folder | null,
  { file, bytes: reported }: ReportedAsset,
  owner: number,
  room: number,
): Promise<Content> {
  if (file === null) return { bytes: reported, why: reported !== null && reported > maxFile ? 'size' : 'content' };
  if (folder === null) return { bytes: reported, why: 'content' };
  let handle: FileHandle | null = null;
  try {
    // Non-blocking, because opening a pipe would wait forever.
    handle = await open(within(folder.handle, folder.path, file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const facts = await handle.stat();
    // A hard link may be someone else's file.
    if (!facts.isFile() || facts.nlink !== 1 || facts.uid !== owner) return { bytes: null, why: 'content' };
    if (facts.size > maxFile) return { bytes: facts.size, why: 'size' };
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
