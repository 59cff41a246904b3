// What a run with a browser leaves: pictures, traces that Playwright reads, and videos that a browser plays.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { createRedactor } from '#checks/parts/redact.ts';
import type { Asset } from '#domain/results/asset.ts';
import type { ScriptKeeps, ScriptOutcome } from '#domain/checks/script.ts';
import { findChromium } from '#sandbox/find-chromium.ts';
import { readTrace } from '../support/scripts/read-trace.ts';
import { currentRuntime, runPlain } from '../support/scripts/script-runs.ts';
import { startTarget } from '../support/targets/target.ts';
import { unzip } from '../support/scripts/unzip.ts';

const secret = 'hush-hush-token';
/** A key that looks like the name of an entry of a trace. */
const key = '5f2b8c1d9e3a4f6071829304a5b6c7d8e9f0a1b2';
const page = `<!doctype html><title>Shop</title><h1>Shop</h1><button onclick="this.textContent = 'sold'">buy</button>`;

interface Wanted {
  readonly sort?: 'spec' | 'plain';
  readonly keeps?: Partial<ScriptKeeps>;
  readonly wallClockMs?: number;
}

async function fixture(t: TestContext) {
  const browser = findChromium(null);
  assert.ok(browser, 'there is no Chromium here: npm ci brings one');
  const target = await startTarget(t, (request, response) =>
    response.setHeader('content-type', 'text/html').end(`${page}<p>${String(request.headers['x-token'])}</p>`),
  );
  const run = (content: string, { sort = 'spec', keeps = {}, wallClockMs = 180_000 }: Wanted = {}) => {
    const entry = sort === 'spec' ? 'check.spec.mjs' : 'check.cjs';
    return runPlain('', {
      sort,
      entry,
      files: [{ path: entry, content }],
      environment: { SHOP: `${target.url}/`, TOKEN: secret, KEY: key },
      // The second stands in traces as a number, which must stay one.
      hidden: createRedactor([key, secret, '200']).forms,
      browser,
      keeps: { screenshots: 'on-failure', trace: 'on-failure', video: 'off', ...keeps },
      limits: { wallClockMs, memoryBytes: 2 ** 31, processes: 128, diskBytes: 512 << 20 },
    });
  };
  return { browser, run };
}

const spec = (body: string): string => `import { test, expect } from '@playwright/test';
test('buying', async ({ page }, testInfo) => {
  await page.setExtraHTTPHeaders({ 'x-token': process.env.TOKEN, 'x-key': process.env.KEY });
  await page.goto(process.env.SHOP);
  ${body}
});
`;
const program = (body: string, end = ''): string => `const { chromium } = require('playwright');
(async () => {
  const browser = await chromium.launch();
  const page = await browser.newPage();
  await page.setExtraHTTPHeaders({ 'x-token': process.env.TOKEN });
  try {
    await page.goto(process.env.SHOP);
    ${body}
  } finally { ${end} }
})();
`;

const sortsOf = ({ assets }: ScriptOutcome): string[] => assets.map(({ sort }) => sort).toSorted();

function assetOf({ assets, leftOut, errors }: ScriptOutcome, sort: Asset['sort']): Buffer {
  const found = assets.find((asset) => asset.sort === sort);
  assert.ok(found, `no ${sort}: ${JSON.stringify({ leftOut, errors })}`);
  return Buffer.from(found.content);
}

/** That a trace is one, tells of the page, and has no secret in any of its texts. */
function assertTrace(t: TestContext, trace: Buffer): void {
  const { actions, requests } = readTrace(t, trace);
  assert.match(actions, /Navigate|goto/);
  assert.match(requests, /127\.0\.0\.1|localhost/);
  const entries = [...unzip(trace)];
  assert.ok(entries.some(([name]) => name.endsWith('.trace')) && entries.some(([name]) => name.endsWith('.network')));
  for (const [name, content] of entries) {
    for (const each of [secret, key]) assert.ok(!content.includes(each), `${name} tells ${each}`);
  }
  assert.ok(
    entries.some(([name, content]) => name.endsWith('.network') && content.includes('********')),
    'the header was sent, and is in the trace',
  );
}

const isPng = (content: Uint8Array): boolean => Buffer.from(content).toString('latin1', 1, 4) === 'PNG';

let mixed: Promise<ScriptOutcome> | null = null;

/** One run of a test that fails, of one that passes and takes pictures, and of one that only passes. */
function mixedRun(t: TestContext): Promise<ScriptOutcome> {
  return (mixed ??= fixture(t).then(({ run }) =>
    run(`${spec(`await expect(page.getByRole('button')).toHaveText('gone', { timeout: 300 });`)}
test('showing', async ({ page }, testInfo) => {
  await page.goto(process.env.SHOP);
  await page.screenshot({ path: testInfo.outputPath('cart.png') });
  await page.getByRole('button').screenshot();
  await testInfo.attach('receipt', { body: await page.screenshot({ fullPage: true, type: 'jpeg' }), contentType: 'image/jpeg' });
});
test('looking', async ({ page }) => {
  await page.goto(process.env.SHOP);
});
`),
  ));
}

describe('files that a run leaves', { concurrency: 2 }, () => {
  test('a failing test leaves a picture, and a trace that Playwright reads and that tells no secret', async (t) => {
    const outcome = await mixedRun(t);
    assert.deepEqual([outcome.tests, outcome.failedTests], [3, 1], JSON.stringify(outcome.log));
    const failed = { ...outcome, assets: outcome.assets.filter(({ name }) => name === 'buying') };
    assert.deepEqual(sortsOf(failed), ['screenshot', 'trace']);
    assert.ok(isPng(assetOf(failed, 'screenshot')));
    assertTrace(t, assetOf(failed, 'trace'));
  });

  test('of a test that passes the pictures are kept that it asks for, and nothing else', async (t) => {
    const { assets } = await mixedRun(t);
    const found = assets
      .filter(({ name }) => name !== 'buying')
      .map(({ name, contentType }) => `${name} ${contentType}`);
    assert.deepEqual(found.toSorted(), ['cart.png image/png', 'receipt image/jpeg', 'screenshot image/png']);
  });

  test('what a test attaches is kept under its name, also where it shows what the picture of its failure shows', async (t) => {
    const { run } = await fixture(t);
    const outcome = await run(
      spec(`const body = await page.screenshot({ animations: 'disabled' });
  await testInfo.attach('the shop-actual.png', { body, contentType: 'image/png' });
  await page.screenshot({ path: 'own.png' });
  await testInfo.attach('by path-actual.png', { path: 'own.png' });
  await expect(page).toHaveScreenshot({ timeout: 20_000 });`),
      { keeps: { trace: 'off' } },
    );
    assert.equal(outcome.failedTests, 1);
    const names = outcome.assets.map(({ name }) => name);
    assert.deepEqual(
      names.toSorted(),
      ['by path-actual.png', 'own.png', 'the shop-actual.png'],
      JSON.stringify(outcome.errors),
    );
  });

  test('what is off is not kept, whatever the script asks for, and what is always is kept of every test', async (t) => {
    const { run } = await fixture(t);
    const none = { screenshots: 'off', trace: 'off', video: 'off' } as const;
    const failing = await run(
      spec(
        `await testInfo.attach('shot', { body: await page.screenshot(), contentType: 'image/png' }); throw new Error('no');`,
      ),
      { keeps: none },
    );
    assert.deepEqual([failing.failedTests, sortsOf(failing)], [1, []]);
    const all = { screenshots: 'always', trace: 'always', video: 'always' } as const;
    // Over before the first picture of its video would be taken.
    const passing = await run(spec(''), { keeps: all });
    assert.deepEqual([passing.failedTests, sortsOf(passing)], [0, ['screenshot', 'trace', 'video']]);
  });

  test('what hangs shows where before its run is ended: one of several tests, and a plain program', async (t) => {
    const { run } = await fixture(t);
    const hangs = `await page.getByRole('link', { name: 'nowhere' }).click({ timeout: 0 });`;
    const three = `import { test } from '@playwright/test';
test('first', async () => { await new Promise((resolve) => setTimeout(resolve, 2000)); });
${spec(hangs).split('\n').slice(1).join('\n')}
test('third', async () => {});`;
    const judge = async (wallClockMs: number): Promise<void> => {
      const [tests, plain] = await Promise.all([
        run(three, { wallClockMs }),
        run(program(hangs), { sort: 'plain', wallClockMs }),
      ]);
      const { ending, failedTests, errors, log } = tests;
      assert.deepEqual(
        [ending, failedTests, sortsOf(tests)],
        ['ended', 1, ['screenshot', 'trace']],
        JSON.stringify(log),
      );
      const reported = errors.map(({ message, place }) => `${place?.line} ${message.split('\n')[0]}`);
      const together = `the tests of a run share ${wallClockMs / 1000 - 15} s`;
      assert.match(reported[0] ?? '', /^3 Test timeout of \d+ms exceeded: the tests of a run share \d+ s/);
      assert.ok(reported[0]?.includes(together), reported[0]);
      assert.match(reported[1] ?? '', /^6 Error: locator\.click: Test timeout of \d+ms exceeded/);
      const late = `9 the tests took more than ${wallClockMs / 1000 - 15} s in total: third did not run`;
      assert.deepEqual(reported.slice(2), [late]);
      assert.deepEqual(
        [plain.ending, sortsOf(plain)],
        ['deadline', ['screenshot', 'trace']],
        JSON.stringify(plain.log),
      );
      assert.deepEqual([plain.openStep?.place?.file, plain.openStep?.place?.line], ['check.cjs', 8]);
    };
    // On a machine so busy that a browser is not there in time, or has no time to show where it hangs, once more with longer.
    await judge(32_000).catch((error: unknown) => {
      t.diagnostic(`not within 32 s: ${String(error)}`);
      return judge(150_000);
    });
  });

  test('what scripts ask of Playwright as it is elsewhere is done, or it is said that it cannot be', async (t) => {
    const { run } = await fixture(t);
    const outcome = await run(
      `import { statSync } from 'node:fs';
import { firefox } from 'playwright';
import { chromium, test, expect } from '@playwright/test';
test.use({ video: 'on' });
test('pictures', async ({ page }) => {
  await page.goto(process.env.SHOP);
  await (await page.$('button')).screenshot({ path: 'handle.png' });
  await page.locator('h1').screenshot({ path: 'locator.png' });
  await page.waitForTimeout(600);
  await expect(page).toHaveScreenshot({ timeout: 20_000 });
});
test('videos', async ({ browser }) => {
  const context = await browser.newContext({ recordVideo: { dir: 'videos' } });
  const page = await context.newPage();
  await page.goto('data:text/html,<h1>Shop</h1>');
  await page.close();
  await page.video().saveAs('own.webm');
  expect(statSync('own.webm').size).toBe(statSync(await page.video().path()).size);
});
test('firefox', () => firefox.launch());
test('server', () => chromium.launchServer());
`,
      { keeps: { trace: 'off' } },
    );
    const asked = outcome.assets.filter(({ name }) => name !== 'pictures');
    const names = asked.map(({ sort, name }) => (sort === 'video' ? sort : name)).toSorted();
    assert.deepEqual(names, ['handle.png', 'locator.png', 'video', 'video'], JSON.stringify(outcome.errors));
    assert.deepEqual(
      outcome.errors.map(({ message, place }) => `${place?.line} ${message.split('\n')[0]}`),
      [
        "10 Error: A snapshot doesn't exist at check.spec.mjs-snapshots/pictures-1-linux.png: add it to the snapshots of the check",
        '20 Error: firefox.launch(): only Chromium is available, use chromium.launch()',
        '21 Error: chromium.launchServer(): only Chromium is available, use chromium.launch()',
      ],
    );
  });

  test('a plain program that fails leaves the same, whether it closes its browser or not', async (t) => {
    const { run } = await fixture(t);
    for (const end of ['await browser.close();', '']) {
      const outcome = await run(program(`throw new Error('no');`, end), { sort: 'plain' });
      assert.deepEqual(
        [outcome.failedTests, sortsOf(outcome)],
        [1, ['screenshot', 'trace']],
        JSON.stringify(outcome.log),
      );
      assert.equal(outcome.errors[0]?.message, 'no');
      assert.ok(isPng(assetOf(outcome, 'screenshot')));
      assertTrace(t, assetOf(outcome, 'trace'));
    }
  });

  test('a plain program that passes leaves what it asks for, and may trace by itself', async (t) => {
    const { run } = await fixture(t);
    const body = `await page.context().tracing.start({ snapshots: true });
    await page.screenshot({ path: 'own.png' });
    await page.context().tracing.stop({ path: 'own.zip' });`;
    const outcome = await run(program(body, 'await browser.close();'), { sort: 'plain' });
    assert.deepEqual([outcome.failedTests, outcome.errors], [0, []]);
    assert.deepEqual(
      outcome.assets.map(({ name }) => name),
      ['own.png'],
    );
  });

  test('a video shows the page while the test went on, and plays', async (t) => {
    const { browser, run } = await fixture(t);
    const body = `for (let n = 0; n < 4; n++) {
    await page.evaluate((color) => { document.body.style.background = color; }, ['red', 'green', 'blue', 'white'][n]);
    await page.waitForTimeout(1500);
  }`;
    for (const sort of ['spec', 'plain'] as const) {
      const source =
        sort === 'spec' ? spec(`${body} throw new Error('no');`) : program(`${body} throw new Error('no');`);
      const film = async (): Promise<Played> => {
        const outcome = await run(source, { sort, keeps: { video: 'on-failure', trace: 'off' } });
        return play(assetOf(outcome, 'video'), browser);
      };
      let played = await film();
      // A browser comes last on a busy machine, and shows its film-maker nothing for seconds: now and then, but not each time.
      for (let tries = 1; tries < 3 && new Set(played.colors).size < 3; tries++) played = await film();
      assert.deepEqual([played.width, played.height], [1280, 720], sort);
      assert.ok(played.duration > 1.5 && played.duration < 30, `${played.duration} s`);
      assert.ok(new Set(played.colors).size >= 3, `it shows ${played.colors.join(', ')}`);
    }
  });
});

interface Played {
  readonly width: number;
  readonly height: number;
  /** Seconds. */
  readonly duration: number;
  /** Of the corner, at some moments. */
  readonly colors: readonly string[];
}

/** Plays a video in a Chromium. */
async function play(video: Buffer, chromium: NonNullable<ReturnType<typeof findChromium>>): Promise<Played> {
  const playwright = createRequire(join(currentRuntime.folder, 'x.js'))('playwright-core') as {
    readonly chromium: {
      launch(options: object): Promise<{
        newPage(): Promise<{
          setContent(html: string): Promise<void>;
          evaluate(script: string): Promise<unknown>;
        }>;
        close(): Promise<void>;
      }>;
    };
  };
  const { folder, program: name, libraries } = chromium;
  const env = libraries === null ? {} : { LD_LIBRARY_PATH: join(folder, libraries) };
  const browser = await playwright.chromium.launch({
    executablePath: join(folder, name),
    chromiumSandbox: false,
    args: ['--disable-gpu', '--disable-dev-shm-usage'],
    env,
  });
  try {
    const tab = await browser.newPage();
    await tab.setContent(`<video muted src="data:video/webm;base64,${video.toString('base64')}"></video><canvas>`);
    return (await tab.evaluate(`(async () => {
      const video = document.querySelector('video');
      const pen = document.querySelector('canvas').getContext('2d', { willReadFrequently: true });
      const happens = (name) => new Promise((resolve, reject) => {
        video.addEventListener(name, resolve, { once: true });
        video.addEventListener('error', () => reject(new Error(video.error.message)), { once: true });
        setTimeout(() => reject(new Error('no ' + name)), 20000);
      });
      if (video.readyState < 2) await happens('loadeddata');
      const colors = [];
      for (let at = 0; at < video.duration; at += 0.2) {
        const there = happens('seeked');
        video.currentTime = at;
        await there;
        pen.drawImage(video, 0, 0);
        const [red, green, blue] = pen.getImageData(200, 100, 1, 1).data;
        colors.push([red, green, blue].map((part) => Math.round(part / 64)).join('-'));
      }
      return { width: video.videoWidth, height: video.videoHeight, duration: video.duration, colors };
    })()`)) as Played;
  } finally {
    await browser.close();
  }
}
