// The first code in a script's process. Reads its role and its order from stdin, which no other process can read. Plain
// JavaScript, because it runs in any Node.js version.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { prepareHook } from './hook.mjs';
import { prepareBrowser } from './browser.mjs';
import { noteReads } from './early-reads.mjs';
import { createOpenSteps, followRequests } from './open-steps.mjs';
import { createProgramSteps } from './program-steps.mjs';
import { noteFailure, report } from './report.mjs';
import { resolveFiles } from './resolve-files.mjs';

/** Stores what the browser shows of a failure. */
let leaveAll = () => Promise.resolve();
/** For scripts around a request: returns the result, and reports secrets in it. */
let leaves = () => null;
let reveal = () => undefined;
let hasFailed = false;
/** Time limit for that. */
const showMs = 10_000;
const home = process.cwd();

// The role, with the order or before it: a warm process loads its libraries and waits.
const inbox = readMessages();
const { sort, browser: installed, network, packages, certificates, order: atOnce = null } = await nextMessage();
setEnvironment(atOnce?.environment ?? {});
// Starts the thread while this one loads libraries.
const forwarding = installed === null || network === null ? null : startForwarding();

const require = createRequire(join(dirname(packages), 'start.js'));
const endNoting = atOnce === null ? noteReads() : null;
let startedAt = 0;
let entry = '';
const ordered = atOnce === null ? nextMessage().then(begin) : begin(atOnce);

// Errors before `begin` are not the script's fault.
if (sort === 'spec') {
  const inside = dirname(fileURLToPath(import.meta.url));
  process.argv = [process.argv[0], 'playwright', 'test', '-c', join(inside, 'playwright.config.mjs')];
  globalThis.tocsinLoaded = reportWarm;
  // Read by the runner's settings, which pass it to workers. Never in an environment that scripts can see.
  globalThis.tocsinRun = ordered.then(async ({ keeps, testMs, wallClockMs }) => {
    const [cutAt, endsAt] = [startedAt + testMs, startedAt + wallClockMs];
    return { home, entry, keeps, testMs, cutAt, endsAt, browser: await browserFor(keeps) };
  });
  // Returns before it loads the script.
  require(join(dirname(require.resolve('playwright/package.json')), 'cli.js'));
  await globalThis.tocsinRun;
  report({ kind: 'begin' });
} else {
  const openSteps = createOpenSteps(report);
  // Results of scripts around a request show no steps, and secrets in them may only be known at the end.
  const steps = sort === 'hook' ? openSteps : createProgramSteps(home, openSteps, report);
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
  reportWarm();
  const { hook, hasFiles, showAtMs } = await ordered;
  if (hasFiles) resolveFiles();
  if (preparing !== null) {
    leaveAll = await preparing;
    // For programs that hang; others are not affected.
    setTimeout(() => void leaveAll().catch(() => undefined), showAtMs).unref();
  }
  if (sort === 'hook') ({ leaves, reveal } = prepareHook(join(home, entry), hook));
  report({ kind: 'begin' });
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  // Reported at exit, so that remaining work counts.
  process.on('exit', (code) => {
    if (!hasFailed) end(code);
    report({ kind: 'end' });
  });
  await import(pathToFileURL(join(home, entry)).href).catch(fail);
}

/** Yields objects, one per line. */
async function* readMessages() {
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

async function nextMessage() {
  const { value, done } = await inbox.next();
  // The order never arrived: the process is not needed any more.
  if (done) process.exit();
  return value;
}

function setEnvironment(environment) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment, { HOME: home, TMPDIR: join(home, 'tmp') });
  // Every Node.js that it starts uses the gateway, too.
  if (network !== null)
    process.env.NODE_OPTIONS = [`--require=${network}`, environment.NODE_OPTIONS].filter(Boolean).join(' ');
  // For every Node.js that it starts.
  if (certificates !== null) process.env.NODE_EXTRA_CA_CERTS ??= certificates;
}

/** Reports that everything is loaded and the process waits for its order. */
function reportWarm() {
  if (endNoting !== null) report({ kind: 'warm', read: endNoting() });
}

async function begin(order) {
  // Consumes stdin to its end, so that the script cannot read it.
  await inbox.next();
  ({ entry } = order);
  setEnvironment(order.environment);
  startedAt = Date.now();
  return order;
}

/** Returns how to start the browser once its connections work; null if there is none. */
async function browserFor(keeps) {
  return installed === null ? null : { ...installed, keeps, proxyPort: await forwarding };
}

/** Forwards the browser's connections in a thread, so that a busy script does not delay pages. */
function startForwarding() {
  const forwarder = new Worker(new URL('./forward.mjs', import.meta.url));
  return new Promise((resolve, reject) => {
    forwarder.on('error', reject);
    forwarder.on('message', ({ port, failure }) => {
      if (port === undefined) return noteFailure(failure);
      // It must not keep the process alive.
      forwarder.unref();
      return resolve(port);
    });
  });
}

function end(code) {
  if (code !== 0) return emit([{ message: `process.exit(${code})` }]);
  try {
    const left = leaves();
    emit([]);
    if (sort === 'hook') report({ kind: 'left', left });
  } catch (error) {
    emit([{ message: String(error?.message ?? error) }]);
  }
}

function fail(error) {
  // Ignore errors while the process ends.
  if (hasFailed) return;
  hasFailed = true;
  const messages = [];
  // Causes are more specific than, for example, a failed request.
  for (let each = error; each && messages.length < 5; each = each.cause) messages.push(String(each.message || each));
  emit([{ message: messages.join(': ') || String(error), stack: String(error?.stack ?? '') }]);
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

function emit(errors) {
  try {
    // Before the errors, which may contain secrets.
    reveal();
  } catch {
    // The result cannot be read; its variables were already reported.
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
