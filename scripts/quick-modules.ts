// Loaded before a program by `node --import`: what Node.js has found out about a folder it does not look up again for each
// file there, which is a quarter of what loading a thousand modules costs (docs/decisions/0063).
import { lstatSync, readFileSync } from 'node:fs';
import { type LoadFnOutput, type LoadHookSync, registerHooks, type ResolveHookSync } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The project, and where `imports` of its package.json leads what begins with #. */
const root = new URL('../', import.meta.url).href;
const rooms = new URL('src/', root).href;

/** Formats of files by folder and ending: the package.json that holds for one of them holds for all. */
const formats = new Map<string, LoadFnOutput['format']>();

const resolve: ResolveHookSync = (specifier, context, next) => {
  const url = fileOf(specifier, context.parentURL);
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

function isPlainFile(url: string): boolean {
  return lstatSync(fileURLToPath(url), { throwIfNoEntry: false })?.isFile() ?? false;
}

function isModule(format: string | null | undefined): boolean {
  return format === 'module' || format === 'module-typescript';
}

registerHooks({ resolve, load });
