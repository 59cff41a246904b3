// Reports steps of a plain program: browser calls and HTTP requests. For tests, Playwright's runner does.
import { fileURLToPath } from 'node:url';
import * as util from 'node:util';

/** Maximum reported steps: one less than stored, because the last one is the program itself. */
const maxSteps = 499;
/** Maximum characters of all steps, because they count as output of the script. */
const maxText = 256 << 10;
/** Maximum stack frames between the script and a request, for HTTP clients. */
const maxFrames = 50;

/**
 * Tracks steps.
 *
 * @param home the script's folder
 * @param openSteps also receives all steps
 * @param emit reports an object
 * @returns `begin` and `end` like those of `openSteps`, with category and error; `locate` = the first frame in the
 * script, by default of the current stack
 */
export function createProgramSteps(home, openSteps, emit) {
  const open = new Map();
  let [begun, located, room] = [0, 0, maxText];
  return {
    begin(key, title, location, category) {
      openSteps.begin(key, title, location, category);
      // Further steps are skipped to limit cost.
      if (begun++ >= maxSteps) return;
      open.set(key, { title, category, location, startedAt: Date.now(), since: performance.now() });
    },
    end(key, error) {
      openSteps.end(key);
      const step = open.get(key);
      if (step === undefined) return;
      open.delete(key);
      const { since, ...reported } = step;
      const message = error ? messageOf(error) : null;
      const length = reported.title.length + (message?.length ?? 0);
      // Skip it completely: a partial text might contain part of a secret.
      if (length > room) return;
      room -= length;
      emit({ kind: 'step', ...reported, durationMs: Math.round(performance.now() - since), error: message });
    },
    locate(frames) {
      if (frames !== undefined) return placeIn(frames, home);
      return located++ < maxSteps ? placeIn(framesNow(), home) : undefined;
    },
  };
}

/** Message of an error; an AggregateError itself has none. */
function messageOf(error) {
  const { message, errors, code } = Object(error);
  return String(message || errors?.[0]?.message || code || error);
}

/** Not available in older Node.js versions. */
function framesNow() {
  const sites = util.getCallSites?.(maxFrames) ?? [];
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
  // Playwright's form for frames after an await.
  const name = file.replace(/^async /, '');
  try {
    return name.startsWith('file:') ? fileURLToPath(name) : name;
  } catch {
    // Code can name itself anything.
    return name;
  }
}
