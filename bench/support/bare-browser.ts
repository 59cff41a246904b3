// The same script without Tocsin: the same Playwright and Chromium, in its own folder.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findChromium } from '#sandbox/find-chromium.ts';

const runtime = resolve(import.meta.dirname, '..', '..', 'runtimes', '2026.10');

/** The script. */
export interface BareScript {
  /** `.spec.` = Playwright tests. */
  readonly path: string;
  readonly content: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns a function that runs it once and returns the time from start to exit, ms. */
export function bareRunner(folder: string, { path, content, environment }: BareScript): () => Promise<number> {
  const chromium = findChromium(null);
  if (chromium === null) throw new Error('Chromium is not installed; run npm ci');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, path), content);
  symlinkSync(join(runtime, 'node_modules'), join(folder, 'node_modules'));
  const fonts = join(chromium.folder, 'fonts.conf');
  const launch = {
    executablePath: join(chromium.folder, chromium.program),
    chromiumSandbox: false,
    args: ['--disable-dev-shm-usage', '--disable-gpu'],
  };
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: folder,
    ...environment,
    BARE_LAUNCH: JSON.stringify(launch),
    ...(chromium.libraries !== null && { LD_LIBRARY_PATH: join(chromium.folder, chromium.libraries) }),
    ...(existsSync(fonts) && !existsSync('/etc/fonts/fonts.conf') && { FONTCONFIG_FILE: fonts }),
  };
  const isSpec = path.includes('.spec.');
  const config = `export default { workers: 1, reporter: 'line', outputDir: 'out', use: { browserName: 'chromium', headless: true, launchOptions: ${JSON.stringify(launch)} } };`;
  if (isSpec) writeFileSync(join(folder, 'playwright.config.mjs'), config);
  const words = isSpec ? [join(runtime, 'node_modules', 'playwright', 'cli.js'), 'test'] : [join(folder, path)];
  return async () => {
    rmSync(join(folder, 'out'), { recursive: true, force: true });
    const startedAt = performance.now();
    const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    const code = await new Promise<number | null>((done) => {
      child.once('close', done);
    });
    if (code !== 0) throw new Error(`the plain script failed: ${output}`);
    return performance.now() - startedAt;
  };
}
