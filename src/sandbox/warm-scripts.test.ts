// Warm processes: equal to new ones but faster, and isolated from other runs.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { ScriptOutcome, ScriptWork } from '#domain/checks/script.ts';
import { useOwnTemporaryFolder } from '../../tests/support/scripts/own-temporary-folder.ts';
import { plainRun, printed, type RunOptions, strongContainments } from '../../tests/support/scripts/script-runs.ts';
import { startTarget } from '../../tests/support/targets/target.ts';
import { containments, hasGateway } from './containment/containment.ts';
import { findChromium } from './find-chromium.ts';
import { runScript, type ScriptDeps } from './run-script.ts';
import { endProcess, type ScriptProcess } from './script-process.ts';
import { createWarmScripts, type WarmScripts } from './warm-scripts.ts';

const browserLimits = { memoryBytes: 2 ** 31, processes: 128, diskBytes: 256 << 20 };

/** The types that are warmed: a program with a browser, in CommonJS, and a test file. */
async function programRun(content: string, options: RunOptions = {}) {
  const browser = findChromium(null);
  assert.ok(browser, 'Chromium is not installed; run npm ci');
  const files = [{ path: 'check.cjs', content }];
  return plainRun('', { files, entry: 'check.cjs', browser, limits: browserLimits, ...options });
}

function testsRun(content: string, options: RunOptions = {}) {
  return programRun('', { sort: 'spec', files: [{ path: 'a.spec.mjs', content }], entry: 'a.spec.mjs', ...options });
}

type Made = Awaited<ReturnType<typeof programRun>>;

function warmScripts(t: TestContext, max = 1, stayMs?: number): WarmScripts {
  const warm = createWarmScripts(max, stayMs);
  t.after(() => warm.close());
  return warm;
}

function run({ work, deps }: Made, process: ScriptProcess | null = null): Promise<ScriptOutcome> {
  return runScript(work, new AbortController().signal, deps, process);
}

/** Runs in a warm process. */
async function runWarm(warm: WarmScripts, made: Made): Promise<ScriptOutcome> {
  await warm.prepare(made.work, made.deps);
  const process = warm.take(made.work, made.deps);
  assert.ok(process, 'one waits');
  return run(made, process);
}

function wrongLevel(deps: ScriptDeps): false | string {
  return hasGateway(deps.containment) ? false : `there are no warm processes with ${deps.containment}`;
}

/** Existing folders of runs. */
function folders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('tocsin-script-'));
}

/** Everything that a script could find of earlier runs. */
const runHook = `const fs = require('node:fs');
const v8 = require('node:v8');
console.log(JSON.stringify({
  environment: process.env,
  words: [process.argv, process.execArgv, process.cwd(), process.getuid(), process.getgid(), process.title],
  here: fs.readdirSync('.').toSorted(),
  temporary: fs.readdirSync('/tmp'),
  mine: [fs.statSync('.').mode, fs.statSync('.').uid, fs.statSync('check.cjs').mode, fs.statSync('check.cjs').uid],
  input: fs.readFileSync(0, 'utf8'),
  globals: Object.getOwnPropertyNames(globalThis).toSorted(),
  handlers: process.eventNames().map(String).toSorted(),
  processes: fs.readdirSync('/proc').filter((name) => Number(name) > 0).length,
  variables: structuredClone(process.env),
  left: [require('playwright').left, globalThis.left],
}));
fs.writeFileSync('left', 'left');
fs.writeFileSync('/tmp/left', 'left');
globalThis.left = 'left';
process.env.LEFT = 'left';
require('playwright').left = 'left';
require('node:child_process').spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).unref();
`;

describe('warm processes', () => {
  useOwnTemporaryFolder();

  for (const level of containments.filter(hasGateway)) {
    test(`a script sees the same as in a new process, and nothing of earlier runs, with ${level}`, async (t) => {
      const problem = (await strongContainments()).find((one) => one.level === level)?.problem ?? null;
      if (problem !== null) return t.skip(problem);
      const warm = warmScripts(t);
      const made = await programRun(runHook, { level, environment: { SHOP: 'here', TZ: 'Asia/Tokyo' } });
      const own = JSON.parse(printed(await run(made))) as object;
      assert.deepEqual(JSON.parse(printed(await runWarm(warm, made))), own);
    });
  }

  test('a browser in a warm process works as in a new one, with trace and screenshots', async (t) => {
    const target = await startTarget(t, (_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title><h1>open</h1>');
    });
    const program = `const { chromium } = require('playwright');
(async () => {
  const browser = await chromium.launch();
  const page = await browser.newPage();
  await page.goto(process.env.SHOP);
  await page.evaluate(() => console.log('said'));
  if ((await page.title()) !== 'Store') throw new Error('it is ' + (await page.title()));
})();`;
    const tests = `import { test, expect } from '@playwright/test';
test('shop', async ({ page }) => {
  await page.goto(process.env.SHOP);
  await page.evaluate(() => console.log('said'));
  expect(await page.title()).toBe('Store');
});`;
    const environment = { SHOP: target.url };
    for (const made of [await programRun(program, { environment }), await testsRun(tests, { environment })]) {
      const reason = wrongLevel(made.deps);
      if (reason !== false) return t.skip(reason);
      const facts = ({
        ending,
        tests: count,
        failedTests,
        errors,
        pageLines,
        pageVitals,
        assets,
        steps,
      }: ScriptOutcome) => ({
        ending,
        count,
        failedTests,
        errors,
        pageLines: pageLines.map(({ text }) => text),
        vitals: pageVitals.map(({ url }) => url),
        assets: assets.map(({ sort }) => sort).toSorted(),
        steps: steps.map(({ title }) => title),
      });
      const own = facts(await run(made));
      assert.deepEqual([own.failedTests, own.pageLines, own.vitals.length], [1, ['said'], 1], JSON.stringify(own));
      assert.ok(own.assets.includes('trace') && own.assets.includes('screenshot'), own.assets.join());
      assert.deepEqual(facts(await runWarm(warmScripts(t), made)), own);
    }
  });

  test('a script that sets a variable read before gets a new process', async (t) => {
    const warm = warmScripts(t);
    const made = await testsRun(`import { test } from '@playwright/test';\ntest('a', () => {});`);
    const reason = wrongLevel(made.deps);
    if (reason !== false) return t.skip(reason);
    await warm.prepare(made.work, made.deps);
    const takes = (environment: ScriptWork['environment']): boolean => {
      const process = warm.take({ ...made.work, environment }, made.deps);
      t.after(async () => {
        if (process === null) return;
        endProcess(process);
        await process.place.folder.remove();
      });
      return process !== null;
    };
    for (const name of ['CI', 'DEBUG', 'DEBUG_HIDE_DATE', 'PWDEBUG', 'FORCE_COLOR', 'NODE_OPTIONS'])
      assert.equal(takes({ [name]: '1' }), false, name);
    assert.equal(takes({ SHOP: 'here', TZ: 'Asia/Tokyo' }), true);
  });

  test('warm processes have one shape, a limited number, and end on close', async (t) => {
    const warm = warmScripts(t, 2, 0);
    const [program, tests] = [await programRun('1;'), await testsRun('')];
    const reason = wrongLevel(program.deps);
    if (reason !== false) return t.skip(reason);
    await warm.prepare({ ...program.work, browser: null }, program.deps);
    await warm.prepare({ ...program.work, sort: 'hook' }, program.deps);
    assert.deepEqual(folders(), [], 'shapes that load little are not warmed');
    for (let n = 0; n < 3; n++) await warm.prepare(program.work, program.deps);
    assert.equal(folders().length, 2);
    const larger = { ...program.work, limits: { ...program.work.limits, memoryBytes: 2 ** 30 } };
    for (const other of [tests.work, larger, { ...program.work, browser: null }])
      assert.equal(warm.take(other, program.deps), null);
    await warm.prepare(tests.work, tests.deps);
    const process = warm.take(tests.work, tests.deps);
    assert.ok(process, 'in place of another shape');
    const [taken] = await Promise.all([run(tests, process), warm.close()]);
    assert.equal(taken.ending, 'ended', JSON.stringify(taken));
    assert.equal(warm.take(program.work, program.deps), null);
    await warm.prepare(program.work, program.deps);
    assert.deepEqual(folders(), [], 'no folder is left');
  });

  test('a script gets another process if its warm one ends before it starts', async (t) => {
    const warm = warmScripts(t);
    const made = await programRun(`console.log('once');`);
    const reason = wrongLevel(made.deps);
    if (reason !== false) return t.skip(reason);
    await warm.prepare(made.work, made.deps);
    const first = warm.take(made.work, made.deps);
    assert.ok(first);
    endProcess(first);
    // Make sure that it has ended before the script starts.
    await first.closed;
    const outcome = await run(made, first);
    assert.deepEqual([outcome.ending, printed(outcome)], ['ended', 'once\n'], JSON.stringify(outcome));
    assert.deepEqual(folders(), []);
  });

  test('a used process stays if another shape is requested, and close waits for starting ones', async (t) => {
    const warm = warmScripts(t);
    const [program, tests] = [await programRun('1;'), await testsRun('')];
    const reason = wrongLevel(program.deps);
    if (reason !== false) return t.skip(reason);
    await warm.prepare(program.work, program.deps);
    await warm.prepare(tests.work, tests.deps);
    assert.equal(warm.take(tests.work, tests.deps), null);
    const process = warm.take(program.work, program.deps);
    assert.ok(process);
    const preparing = warm.prepare(program.work, program.deps);
    await warm.close();
    await preparing;
    assert.equal((await run(program, process)).ending, 'ended');
    assert.deepEqual(folders(), []);
  });

  test('a process whose files were replaced is ended at once', async (t) => {
    const warm = warmScripts(t);
    const made = await programRun(`console.log('here');`);
    const reason = wrongLevel(made.deps);
    if (reason !== false) return t.skip(reason);
    const folder = mkdtempSync(join(tmpdir(), 'node-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const nodeBinary = join(folder, 'node');
    const work = { ...made.work, runtime: { ...made.work.runtime, nodeBinary } };
    copyFileSync(made.work.runtime.nodeBinary, nodeBinary);
    await warm.prepare(work, made.deps);
    // Simulates a reinstallation.
    utimesSync(nodeBinary, 0, 0);
    assert.equal(warm.take(work, made.deps), null);
    await warm.prepare(work, made.deps);
    const process = warm.take(work, made.deps);
    assert.ok(process);
    assert.equal(printed(await run({ ...made, work }, process)), 'here\n');
  });

  test('output of a warm process is read continuously', async (t) => {
    const content = `import { test } from '@playwright/test';
test('a', async () => {
  console.log('first');
  for (let n = 0; n < 150; n++) console.log('x'.repeat(10_000));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  console.log('last');
});`;
    const made = await testsRun(content);
    const reason = wrongLevel(made.deps);
    if (reason !== false) return t.skip(reason);
    const outcome = await runWarm(warmScripts(t), made);
    assert.deepEqual([outcome.ending, outcome.failedTests], ['ended', 0], JSON.stringify(outcome).slice(0, 2000));
    const first = outcome.log.find(({ text }) => text.includes('first'));
    assert.ok((first?.atMs ?? Infinity) <= outcome.stoppedAt - outcome.startedAt - 1000, `${first?.atMs}`);
  });

  test('a started script is never started again', async (t) => {
    let calls = 0;
    const target = await startTarget(t, (_, response) => {
      calls++;
      response.end();
    });
    const program = `fetch(process.env.SHOP).then(() => process.kill(process.pid, 'SIGKILL'));`;
    const made = await programRun(program, { environment: { SHOP: target.url } });
    const reason = wrongLevel(made.deps);
    if (reason !== false) return t.skip(reason);
    const outcome = await runWarm(warmScripts(t), made);
    assert.deepEqual([outcome.ending, calls], ['crashed', 1], JSON.stringify(outcome));
  });

  test('a script with a package.json gets a process that finds it at start', async (t) => {
    const files = [
      { path: 'package.json', content: '{"type":"module"}' },
      { path: 'check.js', content: `import.meta.url;\nconsole.log('module');` },
    ];
    const warm = warmScripts(t);
    const made = await programRun('', { files, entry: 'check.js' });
    const reason = wrongLevel(made.deps);
    if (reason !== false) return t.skip(reason);
    await warm.prepare(made.work, made.deps);
    assert.equal(warm.take(made.work, made.deps), null);
    assert.equal(printed(await run(made)), 'module\n');
  });
});
