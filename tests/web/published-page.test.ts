// Published status pages in a real browser: accessible, safe, stale when they are, and readable without JavaScript.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { PageSnapshot } from '#domain/status-pages/page-snapshot.ts';
import { renderPage } from '#publish/render-page.ts';
import { openBrowser } from '../support/chromium.ts';
import {
  exampleMaintenance,
  exampleSnapshot,
  hostileSnapshot,
  numberedId,
  snapshotAt,
  troubledSnapshot,
} from '../support/page-snapshots.ts';
import { breaches } from './accessibility.ts';

suite('a published status page', () => {
  let browser: Browser;
  let files: ReturnType<typeof renderPage> = new Map();
  /** The clock of the server that has the files, epoch ms. */
  let now = snapshotAt + 60_000;
  let base = '';

  before(async () => {
    const server = createServer(({ url = '/' }, response) => {
      const path = url.slice(1);
      const file = files.get(path);
      const headers = { 'content-type': file?.mediaType ?? 'text/plain', date: new Date(now).toUTCString() };
      response.writeHead(file === undefined ? 404 : 200, headers).end(file?.content);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    browser = await openBrowser({ after: (work) => void closing.push(work) });
    closing.push(() => server.close());
  });
  const closing: (() => unknown)[] = [];

  /** Opens a file of a page; everything that a page may never do ends the test. */
  async function open(
    snapshot: PageSnapshot,
    options: Parameters<Browser['newContext']>[0] = {},
    path = 'index.html',
  ): Promise<Page> {
    files = renderPage(snapshot);
    const context = await browser.newContext({ timezoneId: 'UTC', locale: 'en-GB', ...options });
    const page = await context.newPage();
    page.on('request', (request) => assert.ok(request.url().startsWith(base), `asks for ${request.url()}`));
    page.on('dialog', (dialog) => assert.fail(`ran a script: ${dialog.message()}`));
    page.on('pageerror', (error) => assert.fail(error.message));
    await page.goto(`${base}${path}`);
    return page;
  }

  test('breaks no rule of accessibility and fits a phone, in each state, theme and language, also with hostile texts', async () => {
    const german = troubledSnapshot('degraded', { page: { language: 'de', takesSubscribers: true } });
    const running = exampleMaintenance(2, { startsAt: snapshotAt - 60_000, endsAt: snapshotAt + 60_000 });
    const cases: [PageSnapshot, 'light' | 'dark', string?][] = [
      [troubledSnapshot('outage'), 'light'],
      [troubledSnapshot('maintenance', { maintenance: [running] }), 'dark'],
      [troubledSnapshot('unknown'), 'light'],
      [german, 'dark'],
      [hostileSnapshot(), 'light'],
      [troubledSnapshot('outage'), 'dark', 'history/2026-11.html'],
      [troubledSnapshot('outage'), 'light', `incidents/${numberedId(1001)}.html`],
      [troubledSnapshot('outage'), 'light', 'embed.html'],
    ];
    for (const [snapshot, colorScheme, path] of cases) {
      const page = await open(snapshot, { colorScheme, viewport: { width: 390, height: 800 } }, path);
      assert.deepEqual(await breaches(page), []);
      assert.ok(
        (await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0,
        'it is too wide',
      );
      assert.deepEqual(await page.context().cookies(), []);
      await page.context().close();
    }
  });

  test('shows times in the zone of the visitor, and in that of the page without JavaScript', async () => {
    const snapshot = troubledSnapshot('outage');
    const local = await open(snapshot, { timezoneId: 'America/New_York', locale: 'en-US' });
    await local.getByText('Checkout has been failing since 08:22 AM EST.').waitFor();
    await local.context().close();
    const plain = await open(snapshot, { timezoneId: 'America/New_York', javaScriptEnabled: false });
    assert.equal(await plain.locator('h1').textContent(), 'Checkout has been failing since 13:22 UTC.');
    await plain.getByText('Days with problems: 3').click();
    assert.ok(await plain.getByRole('link', { name: '8 November 2026' }).isVisible());
    await plain.context().close();
  });

  test('says when it has not been updated for more than 5 minutes, and shows no colour or icon of a state then', async (t) => {
    t.after(() => (now = snapshotAt + 60_000));
    now = snapshotAt + 301_000;
    const page = await open(exampleSnapshot());
    await page.getByText('This page has not been updated since 29 Nov 2026, 14:02 UTC.').waitFor();
    assert.equal(
      await page.evaluate<string>(`getComputedStyle(document.querySelector('.cards')).filter`),
      'grayscale(1)',
    );
    assert.equal(await page.getByText('Operational', { exact: true }).count(), 0);
    const [icons, unknown] = ['use', 'use[href="#i-unknown"]'].map((use) => page.locator(`main ${use}`));
    assert.ok(((await unknown?.count()) ?? 0) > 1);
    assert.equal(await unknown?.count(), await icons?.count());
    assert.ok((await page.getByText('No current data', { exact: true }).count()) > 0);
    assert.equal(await page.title(), 'No current data · Operational · Example status');
    await page.context().close();
    now = snapshotAt + 299_000;
    const fresh = await open(exampleSnapshot());
    await fresh.waitForLoadState('networkidle');
    assert.equal(await fresh.locator('#stale').isVisible(), false);
    await fresh.context().close();
  });

  test('has feeds and badges that XML parsers take, also of hostile texts', async () => {
    const page = await open(hostileSnapshot());
    const documents = [...files]
      .filter(([path]) => /\.(?:svg|rss|atom)$/.test(path))
      .map(([path, { content }]) => [path, content]);
    assert.ok(documents.length > 5);
    const faults = await page.evaluate<string[]>(`(${JSON.stringify(documents)}).flatMap(([path, text]) => {
      const parsed = new DOMParser().parseFromString(text, 'application/xml');
      return parsed.querySelector('parsererror, script, img') === null ? [] : [path + ': ' + parsed.documentElement.textContent];
    })`);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  after(async () => {
    for (const close of closing) await close();
  });
});
