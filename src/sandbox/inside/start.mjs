// The first code of a script's own process: takes from stdin, where nobody else reads it, what it is to be, and what it is to do.
//
// Plain JavaScript, because it runs under the Node.js of any runtime.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { prepareAround } from './around.mjs';
import { prepareBrowser } from './browser.mjs';
import { noteReads } from './early-reads.mjs';
import { createOpenSteps, followRequests } from './open-steps.mjs';
import { createProgramSteps } from './program-steps.mjs';
import { noteFailure, report } from './report.mjs';

/** Keeps what the browser has to show of a failure. */
let leaveAll = () => Promise.resolve();
/** Of a script around a request: what it has left, and telling what of that is to be hidden. */
let leaves = () => null;
let reveal = () => undefined;
let hasFailed = false;
/** How long that may take, ms. */
const showMs = 10_000;
const home = process.cwd();

// What it is to be. With its order, or that comes later: who was begun before there is one is warm by then.
const told = readTold();
const { sort, browser: installed, network, packages, certificates, order: atOnce = null } = await nextTold();
setEnvironment(atOnce?.environment ?? {});
// The thread starts while this one loads what it needs.
const forwarding = installed === null || network === null ? null : startForwarding();

const require = createRequire(join(dirname(packages), 'start.js'));
const endNoting = atOnce === null ? noteReads() : null;
let startedAt = 0;
let entry = '';
const ordered = atOnce === null ? nextTold().then(begin) : begin(atOnce);

// What goes wrong until `begin` is told is no fault of the script.
if (sort === 'spec') {
  const inside = dirname(fileURLToPath(import.meta.url));
  process.argv = [process.argv[0], 'playwright', 'test', '-c', join(inside, 'playwright.config.mjs')];
  globalThis.tocsinLoaded = tellWarm;
  // Read by the settings of the runner, which hand it on to the processes of tests: in no environment that a script sees.
  globalThis.tocsinRun = ordered.then(async ({ keeps, testMs, wallClockMs }) => {
    const [cutAt, endsAt] = [startedAt + testMs, startedAt + wallClockMs];
    return { home, entry, keeps, testMs, cutAt, endsAt, browser: await browserFor(keeps) };
  });
  // It comes back before it reads the first file of the script.
  require(join(dirname(require.resolve('playwright/package.json')), 'cli.js'));
  await globalThis.tocsinRun;
  report({ kind: 'begin' });
} else {
  const openSteps = createOpenSteps(report);
  // Of a script around a request no result shows steps; and what is to be hidden in them may only be known at its end.
  const steps = sort === 'around' ? openSteps : createProgramSteps(home, openSteps, report);
  followRequests(steps);
  const preparing =
    installed === null
      ? null
      : prepareBrowser(
          home,
          require('playwright-core'),
          ordered.then(({ keeps }) => browserFor(keeps)),
          report,
          steps,
        );
  tellWarm();
  const { around, showAtMs } = await ordered;
  if (preparing !== null) {
    leaveAll = await preparing;
    // Of a program that hangs; one that goes on is not disturbed.
    setTimeout(() => void leaveAll().catch(() => undefined), showAtMs).unref();
  }
  if (sort === 'around') ({ leaves, reveal } = prepareAround(join(home, entry), around));
  report({ kind: 'begin' });
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  // Told at the end only, so that what it left running counts as well.
  process.on('exit', (code) => {
    if (!hasFailed) end(code);
    report({ kind: 'end' });
  });
  await import(pathToFileURL(join(home, entry)).href).catch(fail);
}

/** Objects, a line each. */
async function* readTold() {
  process.stdin.setEncoding('utf8');
  let pieces = [];
  for await (const chunk of process.stdin) {
    const [first, ...more] = chunk.split('\n');
    pieces.push(first);
    for (const piece of more) {
      yield JSON.parse(pieces.join(''));
      pieces = [piece];
    }
  }
}

async function nextTold() {
  const { value, done } = await told.next();
  // Nobody wants anything of it any more.
  if (done) process.exit();
  return value;
}

function setEnvironment(environment) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment, { HOME: home, TMPDIR: join(home, 'tmp') });
  // What leads this process through the gateway leads every Node.js that it starts.
  if (network !== null)
    process.env.NODE_OPTIONS = [`--require=${network}`, environment.NODE_OPTIONS].filter(Boolean).join(' ');
  // For every Node.js that it starts.
  if (certificates !== null) process.env.NODE_EXTRA_CA_CERTS ??= certificates;
}

/** Where it waits for its order: from now on it takes no time to load anything. */
function tellWarm() {
  if (endNoting !== null) report({ kind: 'warm', read: endNoting() });
}

async function begin(order) {
  // To the end, so that a script that reads finds nothing.
  await told.next();
  ({ entry } = order);
  setEnvironment(order.environment);
  startedAt = Date.now();
  return order;
}

/** The browser as it is to be started, once its connections can be made; null = there is none. */
async function browserFor(keeps) {
  return installed === null ? null : { ...installed, keeps, proxyPort: await forwarding };
}

/** The browser's connections are made beside the script, so that a busy script holds up no page. */
function startForwarding() {
  const forwarder = new Worker(new URL('./forward.mjs', import.meta.url));
  return new Promise((resolve, reject) => {
    forwarder.on('error', reject);
    forwarder.on('message', ({ port, failure }) => {
      if (port === undefined) return noteFailure(failure);
      // From now on it lasts as long as the script does.
      forwarder.unref();
      return resolve(port);
    });
  });
}

function end(code) {
  if (code !== 0) return tell([{ message: `process.exit(${code})` }]);
  try {
    const left = leaves();
    tell([]);
    if (sort === 'around') report({ kind: 'left', left });
  } catch (error) {
    tell([{ message: String(error?.message ?? error) }]);
  }
}

function fail(error) {
  // What goes wrong while it ends is its end, and no other fault.
  if (hasFailed) return;
  hasFailed = true;
  const messages = [];
  // That a request failed says less than why.
  for (let each = error; each && messages.length < 5; each = each.cause) messages.push(String(each.message || each));
  tell([{ message: messages.join(': ') || String(error), stack: String(error?.stack ?? '') }]);
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
  try {
    // Before the errors, which may hold it.
    reveal();
  } catch {
    // What it has made of its request cannot be read: what it gave its variables was told already.
  }
  report({
    kind: 'test',
    title: entry,
    ok: errors.length === 0,
    startedAt,
    durationMs: Date.now() - startedAt,
    errors,
  });
}
