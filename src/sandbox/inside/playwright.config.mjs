// How Playwright's runner is set up for a check: one process of tests, no retry but those of the script, its report to us.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareBrowser } from './browser.mjs';
import { cutTests, handOn, takeOn } from './runner-time.mjs';

/** The processes of tests read this file as well. */
const isRunner = globalThis.tocsinRun !== undefined;
// Everything is loaded that can be before it is known what is to be run.
globalThis.tocsinLoaded?.();
const { home, entry, keeps, testMs, cutAt, endsAt, browser } = isRunner ? await globalThis.tocsinRun : takeOn();

/** The runner hands on what the processes of tests print. */
const tell = (event) => process.stdout.write(`\u0001${JSON.stringify(event)}\n`);
// Once in a process: some versions of Playwright read this file twice.
await (globalThis.tocsinPrepared ??= prepare());

async function prepare() {
  if (browser !== null) {
    const playwright = createRequire(join(home, 'start.js'))('playwright-core');
    await prepareBrowser(home, playwright, browser, tell, null);
  }
  if (isRunner) handOn({ home, entry, keeps, testMs, cutAt, endsAt, browser });
  else cutTests(home, cutAt, endsAt);
}

/** What the runner calls each choice. */
const screenshots = { off: 'off', 'on-failure': 'only-on-failure', always: 'on' };
const traces = { off: 'off', 'on-failure': 'retain-on-failure', always: 'on' };
/** Before the end of the run, for what hangs outside of tests, ms. */
const lastMs = Math.min(4000, (endsAt - cutAt) / 4);

// oxlint-disable-next-line import/no-default-export -- as Playwright asks for
export default {
  testDir: home,
  // The file of the check, and none that it imports.
  testMatch: new RegExp(`^${join(home, entry).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`),
  outputDir: join(home, 'tmp', 'results'),
  workers: 1,
  retries: 0,
  // Before the limit of the whole run, which is kept from outside: a test that hangs can still say where, and show it.
  timeout: testMs,
  globalTimeout: Math.max(1, endsAt - lastMs - Date.now()),
  reporter: [[join(dirname(fileURLToPath(import.meta.url)), 'reporter.mjs')]],
  use: {
    // Of what a browser does, and of what the test asks by itself.
    trace: traces[keeps.trace],
    ...(browser !== null && {
      browserName: 'chromium',
      headless: true,
      screenshot: screenshots[keeps.screenshots],
    }),
  },
};
