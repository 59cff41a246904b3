// A real browser for tests of pages: the Chromium that npm ci brings, driven by the Playwright of the current runtime.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { findChromium } from '#sandbox/find-chromium.ts';
import type { Cleanup } from './scripted-server.ts';
import { currentRuntime } from './script-runs.ts';

/** What these tests use of a page of Playwright's. */
export interface BrowserPage {
  goto(url: string): Promise<unknown>;
  on(event: 'console', listener: (message: { text(): string }) => void): void;
  on(event: 'requestfailed' | 'request', listener: (request: { url(): string }) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
  readonly mouse: { wheel(x: number, y: number): Promise<void> };
  locator(selector: string): {
    first(): { waitFor(): Promise<void>; innerText(): Promise<string> };
    evaluateAll<Value>(look: (elements: readonly { readonly id: string }[]) => Value): Promise<Value>;
  };
}

interface Chromium {
  launch(options: object): Promise<{ newPage(): Promise<BrowserPage>; close(): Promise<void> }>;
}

/** Opens a page in a new browser, closed with the test. */
export async function openPage(t: Cleanup): Promise<BrowserPage> {
  const found = findChromium(null);
  if (found === null) throw new Error('there is no Chromium here: npm ci brings one');
  const { folder, program, libraries } = found;
  const fonts = join(folder, 'fonts.conf');
  const { chromium } = createRequire(join(currentRuntime.folder, 'start.js'))('playwright-core') as {
    chromium: Chromium;
  };
  const browser = await chromium.launch({
    executablePath: join(folder, program),
    args: ['--no-sandbox', '--headless=new', '--disable-gpu'],
    env: {
      ...process.env,
      ...(libraries !== null && { LD_LIBRARY_PATH: join(folder, libraries) }),
      ...(!existsSync('/etc/fonts/fonts.conf') && { FONTCONFIG_FILE: fonts }),
    },
  });
  t.after(() => browser.close());
  return browser.newPage();
}
