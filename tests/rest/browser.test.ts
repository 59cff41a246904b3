// Browser checks through the whole service: a real Chromium, contained like every script.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { z } from 'zod';
import type { scriptResult } from '#checks/parts/scripted/schema.ts';
import { findChromium } from '#sandbox/find-chromium.ts';
import { startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

type Body = Record<string, unknown>;

interface Line {
  readonly msg: string;
  readonly url: string;
}

type Steps = NonNullable<z.output<typeof scriptResult.steps>>;

interface Part {
  readonly warnings: readonly string[];
  readonly errors: readonly { readonly message: string; readonly line: number }[];
  readonly steps: Steps;
  readonly webVitals: readonly { readonly url: string; readonly vitals: Readonly<Record<string, number>> }[];
  readonly console: readonly Line[];
  readonly pageErrors: readonly Line[];
  readonly assets: readonly { readonly sort: string; readonly contentType: string; readonly link: string }[];
}

const shop = `<!doctype html><title>Shop</title><h1>Shop</h1><button onclick="this.textContent = 'sold'">buy</button>
<script>console.log('open for', document.cookie || localStorage.seen || 'strangers'); document.cookie = 'seen=yes'; localStorage.seen = 'stored';
setTimeout(() => { throw new Error('a broken script'); }, 10);</script>`;

/** Moves what it shows, once it was seen. */
/** What moves before anything is painted has not moved for anybody. */
const moving = `<!doctype html><title>Moving</title><h1>Moving</h1><script>
const move = () => document.body.prepend(Object.assign(document.createElement('div'), { style: 'height: 200px' }));
new PerformanceObserver(() => setTimeout(move, 150)).observe({ type: 'paint', buffered: true });</script>`;

const endings: (() => void | Promise<void>)[] = [];
after(async () => {
  for (const end of endings.toReversed()) await end();
});
let shared: ReturnType<typeof start> | null = null;
/** The service and the shop that all tests share. */
const fixture = (): ReturnType<typeof start> => (shared ??= start());

async function start() {
  const t = { after: (end: () => void | Promise<void>): void => void endings.push(end) };
  assert.ok(findChromium(null), 'there is no Chromium here: npm ci brings one');
  const target = await startTarget(t, (request, response) =>
    response.setHeader('content-type', 'text/html').end(request.url === '/moving' ? moving : shop),
  );
  const on = await startComposed(t);
  const { must } = asker(() => on.address, on.apiKey);
  const run = async (check: Body): Promise<{ readonly result: Body; readonly part: Part }> => {
    const environmentVariables = [{ key: 'SHOP', value: `${target.url}/` }];
    const { id } = await must('POST', '/v1/checks/browser', {
      name: 'Shop',
      frequency: 1440,
      environmentVariables,
      ...check,
    });
    await must('POST', `/v1/triggers/checks/${String(id)}`);
    const result = await until(
      'a result',
      async () => ((await must('GET', `/v1/check-results/${String(id)}`)) as unknown as Body[])[0],
      { withinMs: 120_000 },
    );
    return { result, part: result['browserCheckResult'] as Part };
  };
  return { on, must, run, url: `${target.url}/` };
}

test('a browser check drives a page, shows what it said and how it loaded, and of a failure a picture', async () => {
  const { on, must, run, url } = await fixture();
  const { result, part } = await run({
    script: `import { test, expect } from '@playwright/test';

test('buying', async ({ page }) => {
  await page.goto(process.env.SHOP + 'moving');
  await page.locator('div').first().waitFor();
  await page.waitForTimeout(400);
  await page.goto(process.env.SHOP);
  await page.waitForTimeout(300);
  await page.getByRole('button').click();
  await expect(page.getByRole('button')).toHaveText('gone', { timeout: 300 });
});
`,
  });
  assert.deepEqual([result['outcome'], result['reason'], result['checkType']], ['failed', 'assertion', 'BROWSER']);
  assert.match(
    String(result['message']),
    /^await expect\(page\.getByRole\('button'\)\)\.toHaveText\('gone', \{ timeout: 300 \}\) \(check\.spec\.ts:10\): .*Received: "sold"/,
  );
  assert.ok(
    part.steps.some(({ title }) => title.includes('Navigate')),
    JSON.stringify(part.steps),
  );
  assert.deepEqual(
    part.console.map(({ msg, url: from }) => [msg, from]),
    [['open for strangers', url]],
  );
  assert.match(part.pageErrors[0]?.msg ?? '', /a broken script/);
  const [still, moved] = [url, `${url}moving`].map((of) => part.webVitals.find((each) => each.url === of)?.vitals);
  for (const name of ['TTFB', 'FCP', 'LCP'])
    for (const each of [still, moved]) assert.ok((each?.[name] ?? 0) > 0, `${name}: ${JSON.stringify(part.webVitals)}`);
  assert.equal(still?.['CLS'], 0);
  assert.ok((moved?.['CLS'] ?? 0) > 0, JSON.stringify(part.webVitals));
  const { id, checkId } = result as Readonly<Record<string, string>>;
  // They come just after the result.
  const listed = await until('assets', async () => {
    const assets = await must('GET', `/v1/check-results/${checkId}/${id}/assets`);
    return (assets as unknown as Part['assets']).length === 2 && (assets as unknown as Part['assets']);
  });
  assert.deepEqual(
    listed.map(({ sort, contentType }) => [sort, contentType]),
    [
      ['screenshot', 'image/png'],
      ['trace', 'application/zip'],
    ],
  );
  for (const [index, beginning] of ['\u0089PNG', 'PK'].entries()) {
    const answer = await fetch(`${on.address}${listed[index]?.link}`, {
      headers: { authorization: `Bearer ${on.apiKey}` },
    });
    assert.equal(answer.headers.get('content-type'), listed[index]?.contentType);
    const content = Buffer.from(await answer.arrayBuffer()).toString('latin1');
    assert.ok(content.startsWith(beginning), content.slice(0, 20));
  }
});

test('a plain program starts the same Chromium, never as one process, and no run sees what another left in it, of either sort', async () => {
  const { run } = await fixture();
  const program = `const { chromium } = require('playwright');
const { readdirSync, readFileSync } = require('node:fs');
const commandOf = (pid) => {
  try {
    return readFileSync('/proc/' + pid + '/cmdline', 'utf8');
  } catch {
    return '';
  }
};
(async () => {
  const browser = await chromium.launch({ args: ['--single-process'] });
  const page = await browser.newPage();
  await page.goto(process.env.SHOP);
  if ((await page.title()) !== 'Shop') throw new Error('another page');
  const commands = readdirSync('/proc').filter(Number).map(commandOf);
  if (!commands.some((line) => line.includes('--type=renderer'))) throw new Error('all of the browser is one process');
  await browser.close();
})();
`;
  const spec = `import { test, expect } from '@playwright/test';
test('looking', async ({ page }) => {
  await page.goto(process.env.SHOP);
  await expect(page).toHaveTitle('Shop');
});
`;
  for (const [script, scriptPath] of [
    [program, 'check.js'],
    [program, 'check.js'],
    [spec, 'check.spec.ts'],
  ]) {
    const { result, part } = await run({ script, scriptPath });
    assert.deepEqual([result['outcome'], result['message']], ['passed', null]);
    assert.deepEqual(
      part.console.map(({ msg }) => msg),
      ['open for strangers'],
    );
    assert.deepEqual(part.assets, []);
  }
});

test('the calls of a plain program are its steps, with times, place and error, and none of ours are among them', async () => {
  const { run, url } = await fixture();
  const { result, part } = await run({
    scriptPath: 'lib/check.mjs',
    trace: 'always',
    video: 'always',
    script: `import { chromium } from 'playwright';
const browser = await chromium.launch();
const page = await browser.newPage();
await page.goto(process.env.SHOP);
const sold = page.getByRole('button');
await Promise.all([sold.click(), page.waitForTimeout(300)]);
await page.request.get(process.env.SHOP + 'moving?page=2');
void page.waitForTimeout(60_000).catch(() => undefined);
const context = await browser.newContext();
await (await context.newPage()).screenshot();
await context.close();
await page.getByRole('link').click({ timeout: 200 });
`,
  });
  assert.equal(result['outcome'], 'failed');
  const shown = part.steps.map(({ category, title, file, line, error }) =>
    [category, title, file, line, error !== null].join(' '),
  );
  assert.deepEqual(
    shown.toSorted(),
    [
      'pw:api browserType.launch lib/check.mjs 2 false',
      'pw:api browser.newPage lib/check.mjs 3 false',
      'pw:api page.goto lib/check.mjs 4 false',
      'pw:api locator.click lib/check.mjs 6 false',
      'pw:api page.waitForTimeout lib/check.mjs 6 false',
      `request GET ${url}moving   false`,
      'pw:api apiRequestContext.get lib/check.mjs 7 false',
      'pw:api browser.newContext lib/check.mjs 9 false',
      'pw:api browserContext.newPage lib/check.mjs 10 false',
      'pw:api page.screenshot lib/check.mjs 10 false',
      'pw:api browserContext.close lib/check.mjs 11 false',
      'pw:api locator.click lib/check.mjs 12 true',
      'test lib/check.mjs   true',
    ].toSorted(),
  );
  const of = (title: string) => part.steps.find((step) => step.title === title);
  assert.ok((of('page.waitForTimeout')?.durationMs ?? 0) >= 290, JSON.stringify(part.steps));
  assert.ok((of('page.goto')?.startMs ?? 0) > (of('browser.newPage')?.startMs ?? Infinity));
  const failed = part.steps.find(({ error, category }) => error !== null && category !== 'test');
  assert.match(failed?.error ?? '', /^locator\.click: Timeout 200ms exceeded/);
  assert.equal(part.errors[0]?.line, 12);
});

test('a file that is too large is left out, and the result says so', async () => {
  const { run } = await fixture();
  const { result, part } = await run({
    trace: 'off',
    script: `import { test } from '@playwright/test';
test('much', async ({}, testInfo) => {
  await testInfo.attach('much', { body: Buffer.alloc(11 * 1024 * 1024, 1), contentType: 'image/png' });
});
`,
  });
  assert.deepEqual([result['outcome'], part.assets], ['passed', []]);
  assert.deepEqual(part.warnings, ['a screenshot of 11.5 MB not stored: the limit is 10 MB per file']);
});

test('what a browser check keeps is chosen when it is saved, and a wrong choice is refused by its name', async () => {
  const { on } = await fixture();
  const { api, must } = asker(() => on.address, on.apiKey);
  const draft = { name: 'Shop', activated: false, script: 'await 1;' };
  const saved = await must('POST', '/v1/checks/browser', draft);
  const kept = ({ screenshots, trace, video }: Body): unknown[] => [screenshots, trace, video];
  assert.deepEqual(kept(saved), ['on-failure', 'on-failure', 'off']);
  const path = `/v1/checks/browser/${String(saved['id'])}`;
  assert.deepEqual(kept(await must('PUT', path, { trace: 'always' })), ['on-failure', 'always', 'off']);
  assert.deepEqual(kept(await must('PUT', path, { video: 'on-failure' })), ['on-failure', 'always', 'on-failure']);
  for (const field of ['screenshots', 'trace', 'video']) {
    const { status, body } = await api('PUT', path, { [field]: 'sometimes' });
    assert.equal(status, 400);
    assert.match(JSON.stringify(body['attributes']), new RegExp(`"${field}":"must be .*on-failure`));
  }
});
