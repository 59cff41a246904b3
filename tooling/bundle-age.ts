// Whether dist/ is older than what it is built from.
import { globSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** A source file that is newer than the bundle; undefined = there is none. */
export function sourceNewerThanBundle(): string | undefined {
  const builtAt = statSync(join(root, 'dist', 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ['package.json', 'tooling/build.ts', ...globSync('src/**/*.{ts,mjs,cjs,sh}', { cwd: root })];
  return sources.find((file) => !file.endsWith('.test.ts') && statSync(join(root, file)).mtimeMs > builtAt);
}
