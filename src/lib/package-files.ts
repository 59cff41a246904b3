// Paths of this installation, for both the sources and the bundle in dist/ (docs/decisions/0124).
import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';

/** The folder that holds Tocsin's package.json. */
export const packageFolder = dirname(findPackageJSON('..', import.meta.url) ?? '.');

/** The folder of its npm packages: its own in a clone, the one that contains it if installed as a package. */
export const modulesFolder =
  basename(dirname(packageFolder)) === 'node_modules' ? dirname(packageFolder) : join(packageFolder, 'node_modules');

/**
 * The file of a thread.
 * @param name name without extension; it is next to the file that starts it, also in the bundle
 * @param startedFrom `import.meta.url` of the file that starts it
 */
export function threadFile(name: string, startedFrom: string): URL {
  return new URL(`./${name}${extname(startedFrom)}`, startedFrom);
}

/** How to run a command: with npm in a clone, which has the sources; by name otherwise. */
export const commandName = existsSync(join(packageFolder, 'src')) ? 'npm run tocsin --' : 'tocsin';
