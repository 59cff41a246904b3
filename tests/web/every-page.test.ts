// What holds for every page, in both themes and on a phone: accessible, not wider than the screen, without faults.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { breaches } from './accessibility.ts';
import { type DemoData, fillDemoData } from './demo-data.ts';
import { expectVisible } from './expect.ts';
import { resultPages } from './result-kinds.ts';
import { shareWebUi, type WebUi } from './web-ui.ts';

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  // The page, not only the facts of a RESULT_LINK that it replaces.
  await page.locator('main.result').waitFor({ state: 'detached' });
  await expectVisible(page.getByRole('heading', { level: 1 }));
  await page.waitForLoadState('load');
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
}

/** Goes there as a link of the app does, which takes half as long as loading it; by way of a page that does not exist. */
async function follow(page: Page, path: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 });
  const missing = 'Page not found';
  await page.evaluate(`history.pushState({}, '', '/nothing-here')`);
  await expectVisible(heading.filter({ hasText: missing }));
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
  await expectVisible(heading.filter({ hasNotText: missing }));
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
}

/** Looks of a visited page: one load shows both, as if the theme and the window changed. */
const looks = [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 }, narrower: { width: 800, height: 1000 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 }, narrower: null },
] as const;

async function judge(ui: WebUi, paths: Readonly<Record<string, string>>, signedOut: boolean): Promise<string[]> {
  const found: string[] = [];
  const page = await ui.open('/sign-in', { signedOut });
  let isInApp = false;
  for (const [name, path] of Object.entries(paths)) {
    // Those that need no sign-in are documents of their own.
    const isApp = !signedOut && !name.endsWith('-link');
    const go = isApp && isInApp ? follow : visit;
    isInApp = isApp;
    for (const { colorScheme, viewport, narrower } of looks) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      if (colorScheme === 'light') await go(page, path);
      else await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      const where = `${name}, ${colorScheme}, ${viewport.width} px`;
      found.push(...(await breaches(page)).map((breach) => `${where}: ${breach}`));
      for (const each of [viewport, ...(narrower === null ? [] : [narrower])]) {
        await page.setViewportSize(each);
        const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
        if (width > each.width) found.push(`${where}: is ${width} px wide at ${each.width} px`);
      }
    }
  }
  await page.context().close();
  return found;
}

describe('pages', () => {
  const { ui, later } = shareWebUi();

  test('an account without data has an empty state on every page', async () => {
    const page = await ui().open();
    for (const [path, words] of [
      ['/', 'No checks yet'],
      ['/alerts', 'No alerts'],
      ['/deliveries', 'No deliveries'],
      ['/groups', 'No groups yet'],
      ['/channels', 'No channels yet'],
      ['/status-pages', 'There is no status page yet'],
      ['/status-pages/services', 'There is no service yet'],
      ['/status-pages/incidents', 'There is no incident'],
      ['/notices', 'Nothing needs attention'],
      ['/wall', 'No check matches this wall.'],
      ['/nothing-here', 'Page not found'],
      ['/checks/00000000-0000-4000-8000-000000000000', 'does not exist'],
    ] as const) {
      await page.goto(path);
      await expectVisible(page.getByText(new RegExp(words, 'i')).first());
    }
  });

  describe('with data', () => {
    let demo: DemoData;
    before(async () => {
      demo = await fillDemoData(later, ui().service);
    });

    test('every page is accessible in both themes and fits on a phone', { timeout: 300_000 }, async () => {
      assert.deepEqual(await judge(ui(), demo.paths, false), []);
      const signedOut = {
        'sign-in': '/sign-in',
        callback: '/sign-in/callback',
        setup: '/setup',
        'reset-password': '/reset-password',
      };
      assert.deepEqual(await judge(ui(), signedOut, true), []);
    });

    test(
      'the result of every check kind is accessible, says what happened, and fits on a phone',
      { timeout: 400_000 },
      async (t) => {
        const paths = await resultPages(t, ui().service);
        assert.deepEqual(await judge(ui(), paths, false), []);
        const page = await ui().open();
        const shows = async (kind: string, ...texts: readonly (string | RegExp)[]): Promise<void> => {
          await visit(page, String(paths[kind]));
          for (const words of texts) await expectVisible(page.getByText(words).first());
        };
        await shows('ssl', 'Serial number', /Not checked/, /, 20\d\d$/);
        await shows('ssl-link', 'Serial number', /Not checked/);
        await shows('heartbeat', 'Exit code 3', 'Last ping before', /disk full/);
        assert.equal(await page.getByText(/Started by|FAILING/).count(), 0);
        await shows('dns-link', 'NOERROR', /^JSON answer \$.Answer/);
        await shows('dns', 'NOERROR', /192\.0\.2\.66/);
        if (paths['browser-link'] === undefined) return;
        await shows('browser', 'Duration', 'open the basket', 'warning', /check\.spec\.ts:7/);
      },
    );

    test('on a phone, the link of an alert answers what, since when, and whether it still fails', async () => {
      const page = await ui().open(demo.paths['result'], { viewport: { width: 390, height: 844 } });
      for (const words of [/Checkout/, /expected a status below 400, got 503/i, /still failing/i]) {
        const box = await page.getByText(words).first().boundingBox();
        assert.ok(box !== null && box.y + box.height <= 844, `${words} is on the first screen`);
      }
    });

    test('on a phone, RESULT_LINK shows its facts without JavaScript and without signing in', async () => {
      const phone = { viewport: { width: 390, height: 844 }, signedOut: true };
      const page = await ui().open(demo.paths['result-link'], { ...phone, javaScriptEnabled: false });
      for (const words of [/Failed/, /Checkout/, /Expected a status below 400, got 503/, /need JavaScript/]) {
        const box = await page.getByText(words).first().boundingBox();
        assert.ok(box !== null && box.y + box.height <= 844, `${words} is on the first screen`);
      }
    });

    test('RESULT_LINK opens the page of the result, which reads nothing but this result', async () => {
      const page = await ui().open('about:blank', { signedOut: true });
      const read: string[] = [];
      page.on('request', (request) => {
        if (request.resourceType() === 'fetch') read.push(new URL(request.url()).pathname);
      });
      const path = String(demo.paths['result-link']);
      await visit(page, path);
      for (const name of ['Assertions', 'Response', 'Request', 'Time'])
        await expectVisible(page.getByRole('region', { name, exact: true }));
      await expectVisible(page.getByText(/^This link works until \d{4}-/));
      assert.deepEqual(read, [`${path}/result`]);
    });

    test('RESULT_LINK opens the page behind a proxy that adds a path', async () => {
      const page = await ui().open('about:blank', { signedOut: true });
      const isProxied = (url: URL): boolean => url.pathname.startsWith('/watch/');
      await page.route(isProxied, async (route) => {
        const response = await route.fetch({ url: route.request().url().replace('/watch/', '/') });
        await route.fulfill({ response });
      });
      const direct: string[] = [];
      page.on('request', (request) => {
        if (!isProxied(new URL(request.url()))) direct.push(request.url());
      });
      await visit(page, `/watch${demo.paths['result-link']}`);
      await expectVisible(page.getByRole('region', { name: 'Response', exact: true }));
      assert.deepEqual(direct, []);
    });

    test('on a slow network, RESULT_LINK shows its facts before styles and scripts are loaded', async (t) => {
      const page = await ui().open('/sign-in', { signedOut: true });
      const network = await page.context().newCDPSession(page);
      // Fast 3G of Chrome's developer tools.
      const fast3G = { latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 };
      await network.send('Network.emulateNetworkConditions', { offline: false, ...fast3G });
      let load = (): void => {};
      const isPainted = new Promise<void>((resolve) => {
        load = resolve;
      });
      await page.route('**/assets/**', async (route) => {
        await isPainted;
        await route.continue();
      });
      await page.goto(String(demo.paths['result-link']), { waitUntil: 'commit' });
      await expectVisible(page.getByText(/Expected a status below 400, got 503/));
      const paintedMs = Number(
        await page.evaluate(`new Promise((resolve) => {
          new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime)).observe({ type: 'paint', buffered: true });
        })`),
      );
      t.diagnostic(`the text is painted after ${Math.round(paintedMs)} ms`);
      assert.ok(paintedMs < 20_000, `${paintedMs} ms`);
      load();
      await page.locator('main.result').waitFor({ state: 'detached' });
    });
  });
});
