// How Playwright's runner is set up for a check: one process of tests, no retry, its report to us.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareBrowser } from './browser.mjs';

const home = process.env.TOCSIN_SCRIPT_HOME;
const browser = JSON.parse(process.env.TOCSIN_SCRIPT_BROWSER ?? 'null');

// The processes of tests read this file as well; the runner hands on what they print.
if (browser !== null)
  prepareBrowser(home, browser, (event) => process.stdout.write(`\u0001${JSON.stringify(event)}\n`));

// oxlint-disable-next-line import/no-default-export -- as Playwright asks for
export default {
  testDir: home,
  // The file of the check, and none that it imports.
  testMatch: new RegExp(`^${join(home, process.env.TOCSIN_SCRIPT_ENTRY).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`),
  outputDir: join(home, 'tmp', 'results'),
  workers: 1,
  retries: 0,
  // The limit of the whole run is kept from outside.
  timeout: 0,
  reporter: [[join(dirname(fileURLToPath(import.meta.url)), 'reporter.mjs')]],
  use: browser === null ? {} : { browserName: 'chromium', headless: true, screenshot: 'only-on-failure' },
};
