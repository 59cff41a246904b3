// The web UI as a person uses it: a real server, a real browser, signed in.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type Cleanup, openBrowser } from '../support/chromium.ts';
import { freePort } from '../support/free-port.ts';
import { type FileService, type Place, startService } from '../support/service/service.ts';

/** The operator that every server of these tests starts with. */
export const operator = { email: 'ada@example.com', password: 'correct horse battery' };

/** Nothing moves, blinks or spins: each frame is drawn without a graphics card. */
const still: BrowserContextOptions = { reducedMotion: 'reduce' };

/** A server with a browser in front of it. */
export interface WebUi {
  readonly service: FileService;
  readonly browser: Browser;
  /** Opens a page in a session of its own, signed in unless `signedOut`. */
  readonly open: (path?: string, options?: BrowserContextOptions & { readonly signedOut?: boolean }) => Promise<Page>;
}

const endings: (() => unknown)[] = [];
let opening: Promise<Browser> | null = null;

/** One browser for all files of this process: sessions share nothing. */
function browserOfProcess(): Promise<Browser> {
  opening ??= openBrowser({ after: (end) => void endings.push(end) });
  return opening;
}

after(async () => {
  for (const end of endings) await end();
});

/** Closes all sessions but these. */
async function closeOthers(browser: Browser, kept: readonly BrowserContext[]): Promise<void> {
  const others = browser.contexts().filter((context) => !kept.includes(context));
  await Promise.all(others.map((context) => context.close()));
}

/** Starts both; faults of pages that were opened fail the test when it ends. */
export async function startWebUi(t: Cleanup, environment: NodeJS.ProcessEnv = {}, place?: Place): Promise<WebUi> {
  const service = await startService(
    t,
    {
      TOCSIN_BOOTSTRAP_EMAIL: operator.email,
      TOCSIN_BOOTSTRAP_PASSWORD: operator.password,
      // Never sent to: only for channels of that kind.
      TOCSIN_SMTP_URL: 'smtp://localhost:9',
      TOCSIN_MAIL_FROM: 'alerts@example.com',
      // The same after a restart: open pages reconnect.
      PORT: String(await freePort()),
      ...environment,
    },
    place,
  );
  const browser = await browserOfProcess();
  const earlier = browser.contexts();
  const faults: string[] = [];
  t.after(async () => {
    await closeOthers(browser, earlier);
    assert.deepEqual(faults, [], 'faults of pages');
  });
  return {
    service,
    browser,
    async open(path = '/', { signedOut = false, ...options } = {}) {
      const context = await browser.newContext({ baseURL: service.address, locale: 'en-US', ...still, ...options });
      if (!signedOut) {
        // As the form does, without its two pages: sign-in.test.ts uses it.
        const answer = await context.request.post('/v1/sessions', {
          data: operator,
          headers: { origin: service.address },
        });
        assert.equal(answer.status(), 201, await answer.text());
      }
      const page = await context.newPage();
      watch(page, service, faults);
      await page.goto(path);
      return page;
    },
  };
}

/**
 * Starts both for all tests of the current suite; pages that a test opened are closed when it ends, because they would
 * go on following events. The file itself is none: Node.js ignores what its hooks throw.
 */
export function shareWebUi(environment: NodeJS.ProcessEnv = {}): { readonly ui: () => WebUi; readonly later: Cleanup } {
  const ends: (() => unknown)[] = [];
  const later = { after: (end: () => unknown) => void ends.push(end) };
  let ui: WebUi | null = null;
  /** Before the test began. */
  let kept: readonly BrowserContext[] = [];
  before(async () => {
    ui = await startWebUi(later, environment);
  });
  beforeEach(() => {
    kept = ui?.browser.contexts() ?? [];
  });
  afterEach(async () => {
    if (ui !== null) await closeOthers(ui.browser, kept);
  });
  after(async () => {
    const ended = await Promise.allSettled(ends.map(async (end) => end()));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  });
  return { ui: () => ui ?? assert.fail('the web UI is not started yet'), later };
}

/** Signs in over the form. */
export async function signIn(page: Page, { email, password } = operator): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Checks' }).waitFor();
}

/** Collects exceptions, breaches of the policy and requests to other hosts. */
function watch(page: Page, service: FileService, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // Refusals and a stopped server are part of some tests; the browser logs each.
    const isExpected = /Failed to load resource|ERR_CONNECTION_REFUSED/.test(message.text());
    if (message.type() === 'error' && !isExpected) faults.push(message.text());
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    const isOwn = protocol === 'blob:' || new URL(service.address).hostname === new URL(origin).hostname;
    if (!isOwn) faults.push(`request to ${request.url()}`);
  });
}
