// The first code of a script's own process: takes its environment from stdin, where nobody else reads it, and begins.
//
// Plain JavaScript, because it runs under the Node.js of any runtime.
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { prepareBrowser } from './browser.mjs';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { environment, sort, entry, browser, hidden, testMs } = JSON.parse(Buffer.concat(chunks).toString());
const home = process.cwd();
const startedAt = Date.now();
// Read by who keeps traces, in this process: an environment has no room for many.
globalThis.tocsinHidden = hidden;
let hasFailed = false;
/** Keeps what the browser has to show of a failure. */
let leaveAll = () => Promise.resolve();
/** How long that may take, ms. */
const showMs = 10_000;
for (const name of Object.keys(process.env)) delete process.env[name];
Object.assign(process.env, environment, { HOME: home, TMPDIR: join(home, 'tmp') });

// What goes wrong until `begin` is told is no fault of the script.
if (sort === 'spec') {
  const require = createRequire(join(home, 'start.js'));
  const inside = dirname(fileURLToPath(import.meta.url));
  process.argv = [process.argv[0], 'playwright', 'test', '-c', join(inside, 'playwright.config.mjs')];
  Object.assign(process.env, { TOCSIN_SCRIPT_HOME: home, TOCSIN_SCRIPT_ENTRY: entry, TOCSIN_SCRIPT_TEST_MS: testMs });
  if (browser !== null) process.env.TOCSIN_SCRIPT_BROWSER = JSON.stringify(browser);
  // It comes back before it reads the first file of the script.
  require(join(dirname(require.resolve('playwright/package.json')), 'cli.js'));
  report({ kind: 'begin' });
} else {
  if (browser !== null) leaveAll = prepareBrowser(home, browser, report, true);
  report({ kind: 'begin' });
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  // Told at the end only, so that what it left running counts as well.
  process.on('exit', (code) => {
    if (!hasFailed) tell(code === 0 ? [] : [{ message: `process.exit(${code})` }]);
    report({ kind: 'end' });
  });
  await import(pathToFileURL(join(home, entry)).href).catch(fail);
}

function fail(error) {
  // What goes wrong while it ends is its end, and no other fault.
  if (hasFailed) return;
  hasFailed = true;
  tell([{ message: String(error?.message ?? error), stack: String(error?.stack ?? '') }]);
  void showAndEnd();
}

async function showAndEnd() {
  try {
    await Promise.race([leaveAll(), pause(showMs)]);
  } catch {
    // There is nothing to show.
  }
  process.exit(1);
}

function tell(errors) {
  report({
    kind: 'test',
    title: entry,
    ok: errors.length === 0,
    startedAt,
    durationMs: Date.now() - startedAt,
    errors,
  });
}

function report(event) {
  let left = Buffer.from(`${JSON.stringify(event)}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(3, left));
    } catch (error) {
      // Who reads is behind: again, until there is room.
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
