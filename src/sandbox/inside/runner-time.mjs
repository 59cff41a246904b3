// Tests have the time of their run together: the one that is running when it is over is ended as one that took too long, while
// there is time left to show it. And how the processes of tests learn of that, unseen by the script.
import childProcess from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const variable = 'TOCSIN_SCRIPT';

/** Gives each process that Playwright starts for tests what the runner knows; no other finds it in its environment. */
export function handOn(known) {
  const { fork } = childProcess;
  childProcess.fork = (path, ...rest) => {
    const options = rest.at(-1);
    if (/[\\/]node_modules[\\/]playwright[\\/]/.test(String(path)) && options?.env)
      options.env = { ...options.env, [variable]: JSON.stringify(known) };
    return fork(path, ...rest);
  };
}

/** In such a process, what it was given: gone before the script begins. */
export function takeOn() {
  const known = JSON.parse(process.env[variable]);
  delete process.env[variable];
  // Some versions of Playwright ask twice.
  globalThis.tocsinRun = Promise.resolve(known);
  return known;
}

/** What Playwright says of a test that is ended so: that it had all of this time. */
export const cutSaid = /timeout of 1ms exceeded/g;

/** In a process of tests: ends the one that is running at `cutAt`, epoch ms, and what of it still hangs half-way to `endsAt`. */
export function cutTests(home, cutAt, endsAt) {
  const { test } = createRequire(join(home, 'start.js'))('@playwright/test');
  const cut = (isLast) => {
    try {
      const info = test.info();
      // One that has failed is being shown.
      if (isLast || info.status === 'passed') info.setTimeout(1);
    } catch {
      // There is none.
    }
  };
  setTimeout(() => cut(false), cutAt - Date.now()).unref();
  setTimeout(() => cut(true), (cutAt + endsAt) / 2 - Date.now()).unref();
}
