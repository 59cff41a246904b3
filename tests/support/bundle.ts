// The bundle, which is what people start: tests that start processes start it too.
import { resolve } from 'node:path';
import { sourceNewerThanBundle } from '../../tooling/bundle-age.ts';

/**
 * A program of dist/.
 *
 * @throws {Error} when a source is newer
 */
export function bundled(name: 'main' | 'tocsin'): string {
  const newer = sourceNewerThanBundle();
  if (newer !== undefined) throw new Error(`dist/ is older than ${newer}: run npm run build`);
  return resolve(import.meta.dirname, '../../dist', `${name}.js`);
}
