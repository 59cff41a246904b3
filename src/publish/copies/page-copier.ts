// Writes the files of status pages to a place, and removes what it wrote and nothing else.
import { hash } from 'node:crypto';
import { mostOlderAssets, PageCopyError } from '#domain/status-pages/page-copies.ts';
import { isPageUrl } from '#domain/status-pages/status-page.ts';
import type { PublishedFile } from '../page-view.ts';

export type PageCopier = ReturnType<typeof createPageCopier>;

/** The folder of lists of what was written. */
export const listFolder = '.tocsin';
const pagesList = `${listFolder}/pages.json`;
const listOf = (url: string): string => `${listFolder}/${url}.json`;
const jsonType = 'application/json; charset=utf-8';
const first = 'index.html';
/** Parts of paths that files of pages have. */
const safePath = /^(?:[A-Za-z0-9_][\w.-]*\/){0,5}[A-Za-z0-9_][\w.-]*$/;

/** What was written of a page. */
interface Written {
  /** Paths as the list in the place has them. */
  listed: readonly string[];
  /** Hashes by path, of files that this process wrote. */
  readonly hashes: Map<string, string>;
}

/** What is known of a place, and operations that first make sure that this process may write. */
interface Copies {
  urls: ReadonlySet<string>;
  readonly written: Map<string, Written>;
  readonly atOnce: number;
  read(path: string): Promise<Buffer | null>;
  write(path: string, file: PublishedFile): Promise<void>;
  remove(path: string): Promise<void>;
}

/** @param keep called before each operation; throws if another process took over */
export function createPageCopier(place: CopyPlace, keep: () => Promise<void>) {
  const copies: Copies = {
    urls: new Set(),
    written: new Map(),
    atOnce: place.atOnce,
    read: (path) => place.read(path),
    write: async (path, file) => {
      await keep();
      await place.write(path, file);
    },
    remove: async (path) => {
      await keep();
      await place.remove(path);
    },
  };
  return {
    /** Addresses of the pages that have copies. Forgets what was written: files may have been changed by others. */
    async urls(): Promise<string[]> {
      copies.written.clear();
      const found = await readList(copies, pagesList, /^/);
      copies.urls = new Set(found.filter(isPageUrl));
      return [...copies.urls];
    },
    /**
     * Writes the files of a page that changed since this process wrote them, the page itself last.
     * @param url its address: the name of its folder
     */
    async copy(url: string, files: ReadonlyMap<string, PublishedFile>): Promise<void> {
      await claim(copies, url);
      const own = await writtenOf(copies, url);
      await writeFiles(copies, url, own, files);
      await removeGone(copies, url, own, files);
    },
    async remove(url: string): Promise<void> {
      if (copies.urls.has(url)) await removePage(copies, url);
    },
  };
}

/** Never writes into a folder that has somebody else's page: accounts choose addresses. */
async function claim(copies: Copies, url: string): Promise<void> {
  if (copies.urls.has(url)) return;
  if ((await copies.read(`${url}/${first}`)) !== null)
    throw new PageCopyError(`${url}/${first} exists and was not written by Tocsin; remove it`);
  const urls = new Set([...copies.urls, url]);
  await writeList(copies, pagesList, urls);
  copies.urls = urls;
}

async function writtenOf(copies: Copies, url: string): Promise<Written> {
  const known = copies.written.get(url) ?? {
    listed: await readList(copies, listOf(url), safePath),
    hashes: new Map<string, string>(),
  };
  copies.written.set(url, known);
  return known;
}

async function writeFiles(
  copies: Copies,
  url: string,
  own: Written,
  files: ReadonlyMap<string, PublishedFile>,
): Promise<void> {
  const all = new Set([...own.listed, ...files.keys()]);
  // Before a file is written it is listed, so that it can be removed whenever this process ends.
  if (all.size > own.listed.length) {
    await writeList(copies, listOf(url), all);
    own.listed = [...all];
  }
  const changed = [...files].filter(([path, { content }]) => own.hashes.get(path) !== hashOf(content));
  const isDocument = (path: string): boolean => path.endsWith('.html');
  // What a document names is written before it.
  const [documents, others] = [
    changed.filter(([path]) => isDocument(path) && path !== first),
    changed.filter(([path]) => !isDocument(path)),
  ];
  for (const part of [others, documents, changed.filter(([path]) => path === first)]) {
    await inParallel(copies.atOnce, part, async ([path, file]) => {
      // Until it has been written, nothing is known of it.
      own.hashes.delete(path);
      await copies.write(`${url}/${path}`, file);
      own.hashes.set(path, hashOf(file.content));
    });
  }
}

async function removeGone(
  copies: Copies,
  url: string,
  own: Written,
  files: ReadonlyMap<string, PublishedFile>,
): Promise<void> {
  const gone = goneOf(own.listed, files);
  if (gone.length === 0) return;
  await inParallel(copies.atOnce, gone, (path) => copies.remove(`${url}/${path}`));
  const still = own.listed.filter((path) => !gone.includes(path));
  await writeList(copies, listOf(url), still);
  own.listed = still;
  for (const path of gone) own.hashes.delete(path);
}

async function removePage(copies: Copies, url: string): Promise<void> {
  const { listed, hashes } = await writtenOf(copies, url);
  hashes.clear();
  if (listed.includes(first)) await copies.remove(`${url}/${first}`);
  await inParallel(copies.atOnce, listed, (path) => copies.remove(`${url}/${path}`));
  await copies.remove(listOf(url));
  copies.written.delete(url);
  const others = new Set([...copies.urls].filter((each) => each !== url));
  await writeList(copies, pagesList, others);
  copies.urls = others;
}

function writeList(copies: Copies, path: string, names: Iterable<string>): Promise<void> {
  return copies.write(path, { mediaType: jsonType, content: JSON.stringify([...names]) });
}

/** Files that a page no longer has, but for the newest of its older assets. */
function goneOf(listed: readonly string[], files: ReadonlyMap<string, PublishedFile>): string[] {
  const others = listed.filter((path) => !files.has(path));
  const older = others.filter((path) => path.startsWith('assets/')).slice(-mostOlderAssets);
  return others.filter((path) => !older.includes(path));
}

/** The texts of a list that have the right form; empty = there is no list. */
async function readList(copies: Copies, path: string, form: RegExp): Promise<string[]> {
  const found = await copies.read(path);
  if (found === null) return [];
  let list: unknown;
  try {
    list = JSON.parse(found.toString('utf8'));
  } catch {
    throw new PageCopyError(`${path} is not JSON; remove it and the pages beside it`);
  }
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string' && form.test(each)) : [];
}

/** Runs work on each item, some at once. After a failure nothing is begun, and it is thrown when all has ended. */
async function inParallel<Item>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  let hasFailed = false;
  const one = async (): Promise<void> => {
    for (const item of left) {
      if (hasFailed) return;
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, one));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

const hashOf = (content: string | Uint8Array): string => hash('sha256', content, 'base64url').slice(0, 22);

/** A folder or a bucket. Paths are relative, with slashes. Each operation ends within some seconds, or fails. */
export interface CopyPlace {
  /** null = there is no such file. */
  read(path: string): Promise<Buffer | null>;
  /** Replaces a file as a whole: readers see the old or the new one. */
  write(path: string, file: PublishedFile): Promise<void>;
  /** Removes a file, if it exists. */
  remove(path: string): Promise<void>;
  /** Files that are written at once. */
  readonly atOnce: number;
}
