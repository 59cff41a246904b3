// Paths of this installation, the same for the sources and the bundle in dist/ (docs/decisions/0124).
import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';

/** The folder that holds Tocsin's package.json. */
export const packageFolder = dirname(findPackageJSON('..', import.meta.url) ?? '.');

/** The folder of the packages beside it: its own in a clone, the one it lies in where npm installed it as a package. */
export const modulesFolder =
  basename(dirname(packageFolder)) === 'node_modules' ? dirname(packageFolder) : join(packageFolder, 'node_modules');

/**
 * The file of a thread.
 *
 * @param name without ending; it lies beside the file that starts it, in the bundle too
 * @param startedFrom `import.meta.url` of the file that starts it
 */
export function threadFile(name: string, startedFrom: string): URL {
  return new URL(`./${name}${extname(startedFrom)}`, startedFrom);
}

/** How a person runs a command here: by npm in a clone, which has the sources; by name elsewhere. */
export const commandName = existsSync(join(packageFolder, 'src')) ? 'npm run tocsin --' : 'tocsin';
