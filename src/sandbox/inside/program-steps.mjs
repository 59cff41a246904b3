// Makes steps of what a plain program asks of its browser and over HTTP: of tests Playwright's runner tells them.
import { fileURLToPath } from 'node:url';
import * as util from 'node:util';

/** The first so many are told: one less than are kept of a result, the last of which is the program itself. */
const mostSteps = 499;
/** Characters of all that they say. What is told counts as output of the script, which has a limit. */
const mostText = 256 << 10;
/** Frames between the script and where a request is made: those of a client of HTTP. */
const mostFrames = 50;

/**
 * @param home the script's folder
 * @param openSteps told of all of them, too
 * @param tell takes what is to be reported, an object each
 * @returns `begin` and `end` as those of `openSteps`, with the category of what begins and the error that it ended by;
 * `locate` = the first of some frames that is the script's own, by default of those that are on the stack
 */
export function createProgramSteps(home, openSteps, tell) {
  const open = new Map();
  let [begun, located, room] = [0, 0, mostText];
  return {
    begin(key, title, location, category) {
      openSteps.begin(key, title, location, category);
      // After that they cost nothing more, however many there are.
      if (begun++ >= mostSteps) return;
      open.set(key, { title, category, location, startedAt: Date.now(), since: performance.now() });
    },
    end(key, error) {
      openSteps.end(key);
      const step = open.get(key);
      if (step === undefined) return;
      open.delete(key);
      const { since, ...told } = step;
      const message = error ? messageOf(error) : null;
      const length = told.title.length + (message?.length ?? 0);
      // Left out as a whole: half of it might be half of what must be hidden.
      if (length > room) return;
      room -= length;
      tell({ kind: 'step', ...told, durationMs: Math.round(performance.now() - since), error: message });
    },
    locate(frames) {
      if (frames !== undefined) return placeIn(frames, home);
      return located++ < mostSteps ? placeIn(framesNow(), home) : undefined;
    },
  };
}

/** Of several addresses that were tried in vain the error itself says nothing. */
function messageOf(error) {
  const { message, errors, code } = Object(error);
  return String(message || errors?.[0]?.message || code || error);
}

/** Of an older Node.js they are not known. */
function framesNow() {
  const sites = util.getCallSites?.(mostFrames) ?? [];
  return sites.map(({ scriptName, lineNumber, columnNumber, column }) => ({
    file: scriptName,
    line: lineNumber,
    column: columnNumber ?? column,
  }));
}

function placeIn(frames, home) {
  for (const { file, line, column } of frames) {
    const path = pathOf(file);
    if (path.startsWith(`${home}/`) && !path.includes('/node_modules/')) return { file: path, line, column };
  }
  return undefined;
}

function pathOf(file) {
  // So Playwright has it where a function goes on that has waited.
  const name = file.replace(/^async /, '');
  try {
    return name.startsWith('file:') ? fileURLToPath(name) : name;
  } catch {
    // Code may call itself whatever it likes.
    return name;
  }
}
