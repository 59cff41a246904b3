// The browser of a program starts while Playwright is loaded: the program gets that one where it asks for one as ours is.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ScriptOutcome } from '#domain/script.ts';
import { containmentHere, printed, runPlain } from '../../tests/support/script-runs.ts';
import { hasGateway, nobody } from './containment.ts';
import { findChromium } from './find-chromium.ts';

const limits = { wallClockMs: 120_000, memoryBytes: 2 ** 31, processes: 128, diskBytes: 256 << 20 };
/** The browsers that run, each by the first word of the name of its profile. */
const browsers = `const { readdirSync, readFileSync } = require('node:fs');
const running = () => readdirSync('/proc').filter(Number).flatMap((pid) => {
  try {
    const words = readFileSync('/proc/' + pid + '/cmdline', 'utf8').split('\\0');
    const profile = words.find((word) => word.startsWith('--user-data-dir='));
    return profile === undefined || words.some((word) => word.startsWith('--type=')) ? [] : [{ pid, profile }];
  } catch { return []; }
});
const browsers = () => [...new Set(running().map(({ profile }) => profile))].map((profile) => /(\\w+?)[-_][^/]*$/.exec(profile)[1]).sort().join();
`;

describe('the browser of a program', () => {
  const browser = findChromium(null);
  let code = '';
  const run = (content: string, { isWritable = false, entry = 'check.cjs' } = {}): Promise<ScriptOutcome> =>
    runPlain('', {
      sort: entry.includes('.spec.') ? 'spec' : 'plain',
      entry,
      files: [{ path: entry, content }],
      browser,
      keeps: { screenshots: 'off', trace: 'off', video: 'off' },
      code: { folder: code, isWritable },
      limits,
    });
  const program = (body: string): Promise<ScriptOutcome> =>
    run(`${browsers}const { chromium } = require('playwright');\n(async () => { ${body} })();`);
  const said = (outcome: ScriptOutcome): string => {
    assert.deepEqual([outcome.ending, outcome.errors], ['ended', []]);
    return printed(outcome);
  };

  before(async () => {
    assert.ok(browser, 'there is no Chromium here: npm ci brings one');
    const { containment } = await containmentHere();
    assert.ok(hasGateway(containment), 'neither bubblewrap nor namespaces work here');
    code = mkdtempSync(join(tmpdir(), 'code-'));
    if (process.getuid?.() === 0) chownSync(code, nobody, nobody);
    const outcome = await run(
      `import { test } from '@playwright/test';\ntest('page', async ({ page }) => void (await page.title()));`,
      { isWritable: true, entry: 'check.spec.mjs' },
    );
    assert.deepEqual([outcome.ending, outcome.failedTests], ['ended', 0], JSON.stringify(outcome.errors));
    chmodSync(code, 0o755);
    assert.ok(JSON.parse(readFileSync(join(code, 'browser.json'), 'utf8')).includes('--headless'));
  });
  after(() => rmSync(code, { recursive: true, force: true }));

  it('is the one that was started early, once; another is its own', async () => {
    const outcome = await program(`const first = await chromium.launch(); console.log(browsers());
      const page = await first.newPage(); await page.setContent('<title>Hello</title>'); console.log(await page.title());
      const second = await chromium.launch(); console.log(browsers());
      await first.close(); console.log(browsers()); await second.close(); console.log(browsers() + '.');`);
    assert.equal(said(outcome), 'browser\nHello\nbrowser,playwright\nplaywright\n.\n');
  });

  it('is its own where it asks for another, and the early one is gone then', async () => {
    const outcome = await program(
      `const browser = await chromium.launch({ args: ['--lang=de'] }); console.log(browsers()); await browser.close();`,
    );
    assert.equal(said(outcome), 'playwright\n');
  });

  it('is its own where its profile lasts, and for tests', async () => {
    const outcome = await program(
      `const context = await chromium.launchPersistentContext(process.env.HOME + '/mine_1'); console.log(browsers()); await context.close();`,
    );
    assert.equal(said(outcome), 'mine\n');
    const tests = await run(
      `import { test } from '@playwright/test';\n${browsers.replace('const {', 'import {').replace("= require('node:fs')", "from 'node:fs'")}
test('page', async ({ page }) => console.log(browsers()));`,
      { entry: 'check.spec.mjs' },
    );
    assert.equal(said(tests), 'playwright\n');
  });

  it('is given away once, whoever else starts processes by the same way', async () => {
    const outcome = await program(`const cp = require('node:child_process'); const found = cp.spawn; const seen = [];
      cp.spawn = (...words) => { seen.push(words[0]); return found(...words); };
      const first = await chromium.launch(); cp.spawn = found; const second = await chromium.launch();
      found('${join('/tocsin/browser', browser?.program ?? '')}', ['--version']);
      console.log(seen.length, browsers(), first.isConnected(), readdirSync(process.env.TMPDIR).some((name) => name.startsWith('browser-')));
      await first.close(); await second.close(); await new Promise((done) => setTimeout(done, 200));
      console.log(readdirSync(process.env.TMPDIR).some((name) => name.startsWith('browser-')));`);
    assert.equal(said(outcome), '1 browser,playwright true true\nfalse\n');
  });

  it('is none where it asks for none, and holds nothing up', async () => {
    assert.equal(said(await program(`console.log(browsers());`)), 'browser\n');
  });

  it('is its own where the early one has ended meanwhile', async () => {
    const outcome = await program(`for (const { pid } of running()) process.kill(pid, 'SIGKILL');
      await new Promise((done) => setTimeout(done, 300));
      const browser = await chromium.launch(); console.log(browsers()); await browser.close();`);
    assert.equal(said(outcome), 'playwright\n');
  });
});
