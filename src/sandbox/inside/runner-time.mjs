// Limits the total time of all tests. The current test is ended as timed out, with time left to report it. Also passes
// this data to Playwright's workers, hidden from the script.
import childProcess from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const variable = 'TOCSIN_SCRIPT';

/** Passes data to the workers of Playwright; no other process receives it. */
export function handOn(known) {
  const { fork } = childProcess;
  childProcess.fork = (path, ...rest) => {
    const options = rest.at(-1);
    if (/[\\/]node_modules[\\/]playwright[\\/]/.test(String(path)) && options?.env)
      options.env = { ...options.env, [variable]: JSON.stringify(known) };
    return fork(path, ...rest);
  };
}

/** Takes the data in a worker and removes it from the environment before the script runs. */
export function takeOn() {
  const known = JSON.parse(process.env[variable]);
  delete process.env[variable];
  // Some versions of Playwright load it twice.
  globalThis.tocsinRun = Promise.resolve(known);
  return known;
}

/** Playwright's message for a test that is ended this way. */
export const cutSaid = /timeout of 1ms exceeded/g;

/** In a worker: ends the current test at `cutAt` (epoch ms), and anything that still hangs halfway to `endsAt`. */
export function cutTests(home, cutAt, endsAt) {
  const { test } = createRequire(join(home, 'start.js'))('@playwright/test');
  const cut = (isLast) => {
    try {
      const info = test.info();
      // A failed test is already being reported.
      if (isLast || info.status === 'passed') info.setTimeout(1);
    } catch {
      // No test is running.
    }
  };
  setTimeout(() => cut(false), cutAt - Date.now()).unref();
  setTimeout(() => cut(true), (cutAt + endsAt) / 2 - Date.now()).unref();
}
