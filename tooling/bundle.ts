// The bundle in dist/: its age, and its programs for tests, benches and the demo.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

let isChecked = false;

/** Flags that `bin/tocsin` gives to Node.js. */
export const usualFlags: readonly string[] =
  readFileSync(join(root, 'bin/tocsin'), 'utf8').match(/--m(?:ax|in)-semi-space-size=\d+/g) ?? [];

/** Returns a source file that is newer than the bundle; undefined = none. */
export function sourceNewerThanBundle(): string | undefined {
  const builtAt = statSync(join(root, 'dist', 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = [
    'package.json',
    'tooling/build.ts',
    ...globSync(['src/**/*.{ts,mjs,cjs,sh}', 'web/**/*.{ts,tsx,css,html}'], { cwd: root }),
  ];
  return sources.find((file) => !file.endsWith('.test.ts') && statSync(join(root, file)).mtimeMs > builtAt);
}

/**
 * Returns the path of a program in dist/.
 *
 * @throws {Error} when a source is newer
 */
export function bundled(name: 'main' | 'tocsin'): string {
  // `tooling/test.ts` checks it once for all files.
  isChecked ||= process.env['TEST_BUNDLE_CHECKED'] !== undefined;
  const newer = isChecked ? undefined : sourceNewerThanBundle();
  if (newer !== undefined) throw new Error(`dist/ is older than ${newer}: run npm run build`);
  isChecked = true;
  return join(root, 'dist', `${name}.js`);
}
