// Tells what Playwright's runner does as it happens, a JSON object a line, to whoever reads file descriptor 3.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKeeper } from './assets.mjs';
import { createOpenSteps } from './open-steps.mjs';
import { report } from './report.mjs';
import { cutSaid } from './runner-time.mjs';

const inside = dirname(fileURLToPath(import.meta.url));

const { home, keeps, testMs, cutAt } = await globalThis.tocsinRun;
const keep = createKeeper(home, report);

/** Steps of these sorts say what the script did; the others are the runner's own. */
const shownSteps = new Set(['test.step', 'pw:api', 'expect']);

// oxlint-disable-next-line import/no-default-export -- as Playwright asks for
export default class Reporter {
  #openSteps = createOpenSteps(report);
  #suite = null;
  /** Tests that the script itself has tried again, or may yet: only the last of it says how they went. */
  #retried = new Map();
  #isOver = false;

  onBegin(_config, suite) {
    this.#suite = suite;
  }

  /** Otherwise the runner adds a reporter that prints. */
  printsToStdio() {
    return true;
  }

  onStdOut(chunk) {
    const [told, printed] = divided(String(chunk));
    for (const event of told) report(event);
    if (printed !== '') report({ kind: 'print', stream: 'stdout', text: printed });
  }

  onStdErr(chunk) {
    report({ kind: 'print', stream: 'stderr', text: String(chunk) });
  }

  onTestBegin(test, result) {
    this.#openSteps.begin(result, titleOf(test), test.location);
  }

  onStepBegin(_test, _result, step) {
    if (shownSteps.has(step.category)) this.#openSteps.begin(step, step.title, placeOf(step));
  }

  onStepEnd(_test, _result, step) {
    this.#openSteps.end(step);
    const { title, category, startTime, duration, error } = step;
    if (!shownSteps.has(category)) return;
    const startedAt = startTime.getTime();
    const told = { title, category, startedAt, durationMs: duration, error: error ? textOf(error) : null };
    report({ kind: 'step', ...told, location: placeOf(step) });
  }

  onTestEnd(test, result) {
    this.#openSteps.end(result);
    if (test.retries > 0) this.#retried.set(test, result);
    else tellTest(test, result);
    const title = titleOf(test);
    // Last: files may be gone or too large, and what is known of the test stands.
    for (const attachment of result.attachments) keepAttachment(attachment, title);
    // The time of all tests is over: as the runner does when somebody stops it.
    if (Date.now() >= cutAt) process.emit('SIGINT', 'SIGINT');
  }

  onError(error) {
    const told = toldError(error);
    // Told of the tests, and once more of what comes after them.
    if (this.#isOver && timeIsOver.test(error.message)) return;
    this.#isOver ||= timeIsOver.test(error.message);
    // That the time is over has no place: what it was at has.
    const location = told.location ?? (Date.now() < cutAt ? undefined : this.#openSteps.place());
    report({ kind: 'error', error: { ...told, location } });
  }

  onEnd() {
    for (const [test, result] of this.#retried) {
      tellTest(test, result);
      if (test.outcome() === 'flaky') report({ kind: 'flaky', title: titleOf(test) });
    }
    const left = Date.now() < cutAt ? undefined : this.#suite?.allTests().find(isLeft);
    if (left !== undefined) {
      const message = `the tests took more than ${testMs / 1000} s in total: ${titleOf(left)} did not run`;
      report({ kind: 'error', error: { message, location: left.location } });
    }
    report({ kind: 'end' });
  }
}

function isLeft({ results, expectedStatus }) {
  return results.length === 0 && expectedStatus !== 'skipped';
}

function titleOf(test) {
  return test.titlePath().filter(Boolean).slice(1).join(' › ');
}

/** What stands between a script and its browser is ours, and no place of the script. */
function placeOf({ location }) {
  return location?.file.startsWith(inside) ? undefined : location;
}

function tellTest(test, { status, startTime, duration, errors }) {
  const title = titleOf(test);
  const outcome = test.outcome();
  const ok = outcome !== 'unexpected' && status !== 'interrupted';
  const told = errors.map((error) => toldError(error, duration)).map((error) => placed(error, test.location));
  // Expected to fail, and did not: there is no error then.
  if (!ok && told.length === 0)
    told.push({ message: `${title}: ${status}, not ${test.expectedStatus}`, location: test.location });
  const ran = status !== 'skipped';
  const startedAt = startTime.getTime();
  report({ kind: 'test', title, ok, ran, startedAt, durationMs: duration, errors: ok ? [] : told });
}

/** With what it was caused by: that a request failed says less than why. */
function toldError(error, durationMs) {
  const causes = [];
  for (let each = error.cause; each && causes.length < 5; each = each.cause)
    causes.push((each.message ?? each.value)?.replace(/^Error: /, ''));
  const message = [textOf(error, durationMs), ...causes].filter(Boolean).join(': ');
  return { message, stack: error.stack, location: placeOf(error) };
}

/** What the runner says where it gives up. */
const timeIsOver = /Timed out waiting [\d.]+s for the .+ to run/;

/** What stands nowhere in the script, as a test that took too long by itself, stands where its test does. */
function placed(error, location) {
  return error.location === undefined && !error.stack?.includes(`${home}/`) ? { ...error, location } : error;
}

/** What Playwright says, where it means the time that a run has, or what a run cannot have, in words of ours. */
function textOf({ message, value }, durationMs) {
  const text = String(message ?? value ?? '');
  if (text.includes('writing actual'))
    return text.replace(/, writing actual\b.*/, ': a check stores none between runs');
  if (Date.now() < cutAt) return text;
  const together = `the tests of a run share ${testMs / 1000} s`;
  const had = durationMs === undefined ? '' : ` of ${durationMs}ms`;
  return text
    .replace(cutSaid, `timeout${had} exceeded: ${together}`)
    .replace(timeIsOver, `Test timeout exceeded: ${together}`);
}

/** Files that the runner makes by itself, by their names; all others are the script's own. */
const ofRunner = /[\\/](?:test-(?:failed|finished)-\d+\.png|trace\.zip)$/;

/** What the runner attaches of a comparison of pictures has names that it makes, and does not lie where it puts what is attached. */
const ofComparison = /-(?:expected|previous|actual|diff)\.\w+$/;
const attachedByScript = /[\\/]attachments[\\/][^\\/]+$/;

function isNameOfScript(name, path) {
  return path === undefined || attachedByScript.test(path) || !ofComparison.test(name);
}

/** Of what a test attaches, pictures, traces and the videos of its own settings: whoever attached them. */
function keepAttachment({ name, path, body, contentType }, title) {
  const isTrace = name === 'trace' && contentType === 'application/zip';
  // Where the check itself asks for videos they are ours.
  const isVideo = name === 'video' && contentType === 'video/webm' && keeps.video === 'off';
  if (!isTrace && !isVideo && !contentType.startsWith('image/')) return;
  const sort = isTrace ? 'trace' : isVideo ? 'video' : 'screenshot';
  const isRequested = !ofRunner.test(path ?? '');
  const setting = isTrace ? keeps.trace : keeps.screenshots;
  keep({
    sort,
    name: isRequested ? name : title,
    // The runner keeps them of a test that fails; one that is tried again may pass in the end.
    when: isRequested || setting === 'always' ? 'always' : 'failed',
    isRequested,
    isNamed: isRequested && isNameOfScript(name, path),
    ...(path === undefined ? { content: body } : { path }),
  });
}

/** What our own code in the process of tests tells, a marked line each, and what the script printed. */
function divided(text) {
  if (!text.includes('\u0001')) return [[], text];
  const told = [];
  // oxlint-disable-next-line no-control-regex -- our own mark
  const printed = text.replace(/\u0001(\{.*\})\n/g, (_line, json) => {
    try {
      told.push(JSON.parse(json));
      return '';
    } catch {
      return json;
    }
  });
  return [told, printed];
}
