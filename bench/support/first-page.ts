// The list of checks in the project's Chromium: time until shown, and smoothness of scrolling.
import type { Page } from 'playwright-core';
import { openBrowser } from '../../tests/support/chromium.ts';
import { percentile, type Row } from './report.ts';
import type { Service } from './service.ts';

/** The first user of the service, who signs in. */
export const visitor = { email: 'ada@example.com', password: 'correct horse battery' };

/** Duration of scrolling, s, and pixels per frame. */
const scrollSeconds = 8;
const scrollStep = 120;

/** Measures the first page of an installation with many checks: transfer size, time until shown, and scrolling. */
export async function browseChecks(name: string, service: Service, visits: number): Promise<Row[]> {
  const closing: (() => unknown)[] = [];
  const browser = await openBrowser({ after: (work) => void closing.push(work) });
  try {
    // With an empty cache each time; the session is that of the first visit.
    const session = await browser.newContext({ baseURL: service.address, locale: 'en-US' });
    await signIn(await session.newPage());
    const storageState = await session.storageState();
    await session.close();

    const [paints, rows]: [number[], number[]] = [[], []];
    let script = 0;
    let frames: readonly number[] = [];
    for (let visit = 0; visit < visits; visit++) {
      const context = await browser.newContext({ baseURL: service.address, locale: 'en-US', storageState });
      const page = await context.newPage();
      const sizes: Promise<number>[] = [];
      page.on('requestfinished', (request) => {
        if (request.resourceType() === 'script') sizes.push(request.sizes().then((size) => size.responseBodySize));
      });
      await page.goto('/', { waitUntil: 'commit' });
      rows.push(await firstRowMs(page));
      paints.push(await firstPaintMs(page));
      if (visit === 0) script = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      if (visit === visits - 1) frames = await scrollFrames(page);
      await context.close();
    }
    return [
      { figure: `${name}: JavaScript of the first page, compressed`, value: script / 1024, unit: 'kB', atMost: 250 },
      { figure: `${name}: first contentful paint, median`, value: percentile(paints, 0.5), unit: 'ms', atMost: 1000 },
      { figure: `${name}: list of checks interactive, median`, value: percentile(rows, 0.5), unit: 'ms', atMost: 2000 },
      { figure: `${name}: longest frame while scrolling`, value: Math.max(...frames), unit: 'ms', atMost: 50 },
      { figure: `${name}: frame while scrolling, p99`, value: percentile(frames, 0.99), unit: 'ms' },
    ];
  } finally {
    for (const close of closing) await close();
  }
}

/** The list in a browser. */
export interface OpenList {
  /** Resolves once the row of a check shows a state. */
  shows(check: string, status: 'failing' | 'passing'): Promise<void>;
  close(): Promise<void>;
}

/** Opens the list and waits until it is live. */
export async function openList({ address }: Service): Promise<OpenList> {
  const closing: (() => unknown)[] = [];
  const browser = await openBrowser({ after: (work) => void closing.push(work) });
  const page = await browser.newPage({ baseURL: address, locale: 'en-US' });
  await signIn(page);
  await page.goto('/?search=check+5000&sort=name');
  await page.getByText('Live', { exact: true }).waitFor();
  return {
    async shows(check, status) {
      const row = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: check, exact: true }) });
      await row.getByText(status === 'failing' ? 'Failing' : 'Passing').waitFor();
    },
    async close() {
      for (const close of closing) await close();
    },
  };
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(visitor.email);
  await page.getByLabel('Password').fill(visitor.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Checks' }).waitFor();
}

// The code in the page is a string, because this program has no browser types.

/** Time from the start of navigation until the first check of the list can be opened, ms. */
async function firstRowMs(page: Page): Promise<number> {
  const found = await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const link = document.querySelector('li[aria-posinset="1"] a');
      const { left, top, width, height } = link?.getBoundingClientRect() ?? {};
      const isReached = link !== null && link.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      if (isReached) resolve(performance.now());
      else requestAnimationFrame(look);
    };
    look();
  })`);
  return Number(found);
}

async function firstPaintMs(page: Page): Promise<number> {
  return Number(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime`));
}

/** Frame durations while the list scrolls, ms. */
async function scrollFrames(page: Page): Promise<readonly number[]> {
  const frames = await page.evaluate(`new Promise((resolve) => {
    const found = [];
    const startedAt = performance.now();
    let last = startedAt;
    const onFrame = (now) => {
      found.push(now - last);
      last = now;
      scrollBy(0, ${scrollStep});
      if (now - startedAt < ${scrollSeconds * 1000}) requestAnimationFrame(onFrame);
      else resolve(found.slice(2));
    };
    requestAnimationFrame(onFrame);
  })`);
  return frames as readonly number[];
}
