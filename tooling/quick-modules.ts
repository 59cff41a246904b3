// Loaded before a program by `node --import`: what Node.js has found out about a folder it does not look up again for each
// file there, which is a quarter of what loading a thousand modules costs (docs/decisions/0063).
import { readdirSync, readFileSync } from 'node:fs';
import { type LoadFnOutput, type LoadHookSync, registerHooks, type ResolveHookSync } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The project, and where `imports` of its package.json leads what begins with #. */
const root = new URL('../', import.meta.url).href;
const rooms = new URL('src/', root).href;

/** Formats of files by folder and ending: the package.json that holds for one of them holds for all. */
const formats = new Map<string, LoadFnOutput['format']>();

const resolve: ResolveHookSync = (specifier, context, next) => {
  const url = fileOf(specifier, context.parentURL);
  if (url !== null && context.conditions.includes('require')) {
    const required = requiredFile(url);
    return required === null ? next(specifier, context) : { url: required, shortCircuit: true };
  }
  const kind = url === null ? null : kindOf(url);
  if (url === null || kind === null) return next(specifier, context);
  const format = formats.get(kind);
  // Links lead elsewhere, where another package.json may hold; of what is not there Node.js says best who wanted it.
  if (format !== undefined && isPlainFile(url)) return { url, format, shortCircuit: true };
  const found = next(specifier, context);
  if (found.url === url && isModule(found.format)) formats.set(kind, found.format);
  return found;
};

/** For the format, which is known, Node.js would look for the package.json once more. */
const load: LoadHookSync = (url, context, next) => {
  const kind = url.startsWith('file:') ? kindOf(url) : null;
  if (kind === null || context.format === undefined || formats.get(kind) !== context.format) return next(url, context);
  return { format: context.format, source: readFileSync(fileURLToPath(url), 'utf8'), shortCircuit: true };
};

/** The file that a specifier names beside the importing one, or in a room; null = it is to be looked for. */
function fileOf(specifier: string, parent: string | undefined): string | null {
  if (parent === undefined) return null;
  if (specifier.startsWith('#')) return isOurs(parent) ? rooms + specifier.slice(1) : null;
  if (!specifier.startsWith('.') || !parent.startsWith('file:')) return null;
  let folder = folderOf(parent);
  let at = 0;
  for (;;) {
    if (specifier.startsWith('./', at)) at += 2;
    else if (specifier.startsWith('../', at)) {
      at += 3;
      folder = folderOf(folder.slice(0, -1));
    } else return folder + specifier.slice(at);
  }
}

/** Packages have imports of their own. */
function isOurs(url: string): boolean {
  return url.startsWith(root) && !url.includes('/node_modules/');
}

function folderOf(url: string): string {
  return url.slice(0, url.lastIndexOf('/') + 1);
}

function kindOf(url: string): string | null {
  const ending = url.slice(-3);
  return ending === '.ts' || ending === '.js' ? folderOf(url) + ending : null;
}

/** What is no link, by folder: each is read once, which costs less than to ask for every file in it. */
const plainFiles = new Map<string, ReadonlySet<string>>();

function isPlainFile(url: string): boolean {
  const folder = folderOf(url);
  let files = plainFiles.get(folder);
  if (files === undefined) plainFiles.set(folder, (files = plainFilesOf(folder)));
  return files.has(url.slice(folder.length));
}

/** Names that stand in addresses as they are; what has others, and folders with links, are left to Node.js. */
const plainName = /^[\w.@+-]+$/;

function plainFilesOf(folder: string): ReadonlySet<string> {
  try {
    const entries = readdirSync(fileURLToPath(folder), { withFileTypes: true });
    if (entries.some((entry) => entry.isSymbolicLink())) return new Set();
    return new Set(entries.flatMap((entry) => (entry.isFile() && plainName.test(entry.name) ? [entry.name] : [])));
  } catch {
    return new Set();
  }
}

/** What `require` finds first of what is called so; null = it may be a folder, or have another ending. */
function requiredFile(url: string): string | null {
  return [url, `${url}.js`].find(isPlainFile) ?? null;
}

function isModule(format: string | null | undefined): boolean {
  return format === 'module' || format === 'module-typescript';
}

registerHooks({ resolve, load });
