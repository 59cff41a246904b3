// Starts the browser of a program while what drives it is being loaded: the program gets it if it asks for one as ours is, and
// otherwise one of its own (docs/decisions/0111).
import childProcess from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rm, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What Playwright starts a browser with, in the folder of compiled code: written by a run of ours, read by every other. */
const noteName = 'browser.json';
/** The one word that differs from browser to browser. */
const profileWord = '--user-data-dir=';
/** As Playwright speaks to a browser: over its files 3 and 4. */
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
  const parts = [early, ...early.stdio.filter((part) => part !== null)];
  early.on('error', () => undefined);
  // Playwright removes the profiles that it has made.
  early.once('close', () => rm(profile, { recursive: true, force: true }, () => undefined));
  // A program that never asks for it ends as if it were not there.
  for (const part of parts) part.unref();
  const end = () => endGroup(early);
  process.once('exit', end);
  let isLeft = true;
  // The script may have taken this for itself, put another around it, or put it back: it gives the browser away once all the same.
  const spawn = (command, asked, options) => {
    if (!isLeft || command !== executablePath) return plainly(command, asked, options);
    isLeft = false;
    if (childProcess.spawn === spawn) childProcess.spawn = plainly;
    process.off('exit', end);
    const isSame = isAsPlaywright(asked, options) && without(asked).join('\n') === words.join('\n');
    if (!isSame || !isAlive(early)) {
      end();
      return plainly(command, asked, options);
    }
    for (const part of parts) part.ref();
    return early;
  };
  childProcess.spawn = spawn;
}

function endGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended, or never began.
  }
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

/** A process that has ended while this one was busy is not told of yet. */
function isAlive({ pid, exitCode, signalCode }) {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false;
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
