// Finds the Chromium for scripts: the configured one, one of the system, or the one that `npm ci` installed.
import { existsSync, globSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { modulesFolder } from '#lib/package-files.ts';
import type { ScriptBrowser } from '#domain/checks/script.ts';

/** Default locations. */
export interface ChromiumPlaces {
  /** System packages. Each program needs only the files beside it. */
  readonly installed: readonly string[];
  /** Folder of the browser that the installation unpacked. */
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
 * Whether a Chromium exists, without checking its libraries.
 *
 * @param named see `findChromium`
 */
export function hasChromium(named: string | null, { installed, unpacked }: ChromiumPlaces = usualPlaces): boolean {
  if (named !== null) return existsSync(named);
  return installed.some((path) => existsSync(path)) || newestUnpacked(unpacked) !== undefined;
}

/**
 * Finds the Chromium to use.
 *
 * @param named path of the configured program; null = not configured
 */
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
