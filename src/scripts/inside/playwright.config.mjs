// How Playwright's runner is set up for a check: one process of tests, no retry, its report to us.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareBrowser } from './browser.mjs';

const home = process.env.TOCSIN_SCRIPT_HOME;
const browser = (await globalThis.tocsinBrowser) ?? JSON.parse(process.env.TOCSIN_SCRIPT_BROWSER ?? 'null');

/** The processes of tests read this file as well; the runner hands on what they print. */
const tell = (event) => process.stdout.write(`\u0001${JSON.stringify(event)}\n`);
// Once in a process: some versions of Playwright read this file twice.
if (browser !== null) await (globalThis.tocsinPrepared ??= prepareBrowser(home, browser, tell, false));

/** What the runner calls each choice. */
const screenshots = { off: 'off', 'on-failure': 'only-on-failure', always: 'on' };
const traces = { off: 'off', 'on-failure': 'retain-on-failure', always: 'on' };

// oxlint-disable-next-line import/no-default-export -- as Playwright asks for
export default {
  testDir: home,
  // The file of the check, and none that it imports.
  testMatch: new RegExp(`^${join(home, process.env.TOCSIN_SCRIPT_ENTRY).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`),
  outputDir: join(home, 'tmp', 'results'),
  workers: 1,
  retries: 0,
  // Before the limit of the whole run, which is kept from outside: a test that hangs can still say where, and show it.
  timeout: Number(process.env.TOCSIN_SCRIPT_TEST_MS),
  reporter: [[join(dirname(fileURLToPath(import.meta.url)), 'reporter.mjs')]],
  use: {
    // Of what a browser does, and of what the test asks by itself.
    trace: traces[process.env.TOCSIN_SCRIPT_TRACE],
    ...(browser !== null && {
      browserName: 'chromium',
      headless: true,
      screenshot: screenshots[browser.keeps.screenshots],
    }),
  },
};
