// Configures Playwright's runner for a check: one worker, retries only if the script sets them, our reporter.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareBrowser } from './browser.mjs';
import { cutTests, handOn, takeOn } from './runner-time.mjs';

/** Workers load this file, too. */
const isRunner = globalThis.tocsinRun !== undefined;
// Everything that does not depend on the script is loaded now.
globalThis.tocsinLoaded?.();
const { home, entry, keeps, testMs, cutAt, endsAt, browser } = isRunner ? await globalThis.tocsinRun : takeOn();

/** The runner forwards worker output. */
const emit = (event) => process.stdout.write(`\u0001${JSON.stringify(event)}\n`);
// Once per process: some versions of Playwright load this file twice.
await (globalThis.tocsinPrepared ??= prepare());

async function prepare() {
  if (browser !== null) {
    const playwright = createRequire(join(home, 'start.js'))('playwright-core');
    await prepareBrowser(home, playwright, browser, emit, null);
  }
  if (isRunner) handOn({ home, entry, keeps, testMs, cutAt, endsAt, browser });
  else cutTests(home, cutAt, endsAt);
}

/** Playwright's names for the settings. */
const screenshots = { off: 'off', 'on-failure': 'only-on-failure', always: 'on' };
const traces = { off: 'off', 'on-failure': 'retain-on-failure', always: 'on' };
/** Reserve before the end of the run for hooks outside of tests. */
const lastMs = Math.min(4000, (endsAt - cutAt) / 4);

// oxlint-disable-next-line import/no-default-export -- as Playwright asks for
export default {
  testDir: home,
  // Only the file of the check, not its imports.
  testMatch: new RegExp(`^${join(home, entry).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`),
  outputDir: join(home, 'tmp', 'results'),
  workers: 1,
  retries: 0,
  // Shorter than the limit of the run, so that a hanging test can still report its place.
  timeout: testMs,
  globalTimeout: Math.max(1, endsAt - lastMs - Date.now()),
  reporter: [[join(dirname(fileURLToPath(import.meta.url)), 'reporter.mjs')]],
  use: {
    // Playwright traces the browser and API requests.
    trace: traces[keeps.trace],
    ...(browser !== null && {
      browserName: 'chromium',
      headless: true,
      screenshot: screenshots[keeps.screenshots],
    }),
  },
};
