// Starts the browser of a program while what drives it is being loaded: the program gets it if it asks for one as ours is, and
// otherwise one of its own (docs/decisions/0111).
import childProcess from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What Playwright starts a browser with, in the folder of compiled code: written by a run of ours, read by every other. */
const noteName = 'browser.json';
/** The one word that differs from browser to browser. */
const profileWord = '--user-data-dir=';
/** As Playwright speaks to a browser: over its third and fourth file. */
const files = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'];

/** Notes how the next browser is started, where this is a run of ours, which alone may write there. */
export function noteBrowser(code) {
  if (!isWritable(code)) return;
  const plainly = childProcess.spawn;
  childProcess.spawn = (command, words, options) => {
    if (isAsPlaywright(words, options)) {
      childProcess.spawn = plainly;
      writeFileSync(join(code, noteName), JSON.stringify(without(words)));
    }
    return plainly(command, words, options);
  };
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a browser as was noted, to be had once by who asks for the same; does nothing where nothing was noted. */
export function startEarly(code, home, executablePath, env) {
  const words = readNote(code);
  if (words === null) return;
  const plainly = childProcess.spawn;
  const profile = mkdtempSync(join(home, 'tmp', 'browser-'));
  const early = plainly(executablePath, [`${profileWord}${profile}`, ...words], { detached: true, env, stdio: files });
  early.on('error', () => undefined);
  const parts = [early, ...early.stdio.filter((part) => part !== null)];
  // A program that never asks for it ends as if it were not there.
  for (const part of parts) part.unref();
  const end = () => isAlive(early) && process.kill(-early.pid, 'SIGKILL');
  process.once('exit', end);
  childProcess.spawn = (command, asked, options) => {
    if (command !== executablePath) return plainly(command, asked, options);
    childProcess.spawn = plainly;
    process.off('exit', end);
    const isSame = isAsPlaywright(asked, options) && without(asked).join('\n') === words.join('\n');
    if (!isSame || !isAlive(early)) {
      end();
      return plainly(command, asked, options);
    }
    for (const part of parts) part.ref();
    return early;
  };
}

function readNote(code) {
  try {
    return JSON.parse(readFileSync(join(code, noteName), 'utf8'));
  } catch {
    return null;
  }
}

function without(words) {
  return words.filter((word) => !word.startsWith(profileWord));
}

function isAsPlaywright(words, options) {
  const isPiped = options?.detached === true && JSON.stringify(options.stdio) === JSON.stringify(files);
  return isPiped && Array.isArray(words) && words.some((word) => word.startsWith(profileWord));
}

function isAlive({ pid, exitCode, signalCode }) {
  return pid !== undefined && exitCode === null && signalCode === null;
}
