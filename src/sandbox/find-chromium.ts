// The Chromium that scripts get: the one that is named, else one of the system, else the one that came with `npm ci`.
import { existsSync, globSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { modulesFolder } from '#lib/package-files.ts';
import type { ScriptBrowser } from '#domain/checks/script.ts';

/** Where one may be that nobody has named. */
export interface ChromiumPlaces {
  /** Programs as systems install them; what lies beside each is all it needs of its own. */
  readonly installed: readonly string[];
  /** The folder into which the packed one is unpacked by the installation. */
  readonly unpacked: string;
}

const usualPlaces: ChromiumPlaces = {
  installed: [
    '/usr/lib/chromium/chromium',
    '/usr/lib/chromium-browser/chromium-browser',
    '/usr/lib64/chromium-browser/chromium-browser',
    '/opt/google/chrome/chrome',
  ],
  unpacked: join(modulesFolder, '.tocsin'),
};

/**
 * Whether there is one, without a look at what it needs.
 *
 * @param named as below
 */
export function hasChromium(named: string | null, { installed, unpacked }: ChromiumPlaces = usualPlaces): boolean {
  if (named !== null) return existsSync(named);
  return installed.some((path) => existsSync(path)) || newestUnpacked(unpacked) !== undefined;
}

/** @param named the path of a program, where somebody has chosen one; null = none is here, or the named one is not */
export function findChromium(
  named: string | null,
  { installed, unpacked }: ChromiumPlaces = usualPlaces,
): ScriptBrowser | null {
  const program = named === null ? installed.find((path) => existsSync(path)) : named;
  if (program !== undefined) {
    if (!existsSync(program)) return null;
    const real = realpathSync(program);
    return { folder: dirname(real), program: basename(real), libraries: null };
  }
  const newest = newestUnpacked(unpacked);
  if (newest === undefined) return null;
  const candidates = globSync(['/usr/lib/*/libnss3.so', '/usr/lib/libnss3.so', '/usr/lib64/libnss3.so']);
  const hasLibraries = candidates.some((path) => statSync(path).size > 0);
  return { folder: join(unpacked, newest), program: 'chromium', libraries: hasLibraries ? null : 'lib' };
}

function newestUnpacked(unpacked: string): string | undefined {
  if (!existsSync(unpacked)) return undefined;
  const [newest] = readdirSync(unpacked)
    .filter((name) => /^chromium-[\d.]+$/.test(name))
    .toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  return newest;
}
