// A real browser for tests of pages: the Chromium that npm ci brings.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '#sandbox/find-chromium.ts';

/** What a test is asked for: something that runs a function when the test is over. */
export interface Cleanup {
  after(work: () => unknown): void;
}

/** Starts a browser, closed with the test. */
export async function openBrowser(t: Cleanup): Promise<Browser> {
  const found = findChromium(null);
  if (found === null) throw new Error('there is no Chromium here: npm ci brings one');
  const { folder, program, libraries } = found;
  const browser = await chromium.launch({
    executablePath: join(folder, program),
    args: ['--no-sandbox', '--headless=new', '--disable-gpu'],
    env: {
      ...process.env,
      ...(libraries !== null && { LD_LIBRARY_PATH: join(folder, libraries) }),
      ...(!existsSync('/etc/fonts/fonts.conf') && { FONTCONFIG_FILE: join(folder, 'fonts.conf') }),
    },
  });
  t.after(() => browser.close());
  return browser;
}

/** Opens a page in a new browser, closed with the test. */
export async function openPage(t: Cleanup): Promise<Page> {
  return (await openBrowser(t)).newPage();
}
