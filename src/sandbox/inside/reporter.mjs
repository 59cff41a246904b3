// A reporter for Playwright's runner that writes to file descriptor 3, one JSON object per line.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKeeper } from './assets.mjs';
import { createOpenSteps } from './open-steps.mjs';
import { report } from './report.mjs';
import { cutSaid } from './runner-time.mjs';

const inside = dirname(fileURLToPath(import.meta.url));

const { home, keeps, testMs, cutAt } = await globalThis.tocsinRun;
const keep = createKeeper(home, report);

/** Categories of the script's own steps. Others are the runner's. */
const shownSteps = new Set(['test.step', 'pw:api', 'expect']);

// oxlint-disable-next-line import/no-default-export -- as Playwright asks for
export default class Reporter {
  #openSteps = createOpenSteps(report);
  #suite = null;
  /** Tests that may be retried; only the last attempt counts. */
  #retried = new Map();
  #isOver = false;

  onBegin(_config, suite) {
    this.#suite = suite;
  }

  /** Otherwise the runner adds its own reporter. */
  printsToStdio() {
    return true;
  }

  onStdOut(chunk) {
    const [reported, printed] = divided(String(chunk));
    for (const event of reported) report(event);
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
    const reported = { title, category, startedAt, durationMs: duration, error: error ? textOf(error) : null };
    report({ kind: 'step', ...reported, location: placeOf(step) });
  }

  onTestEnd(test, result) {
    this.#openSteps.end(result);
    if (test.retries > 0) this.#retried.set(test, result);
    else reportTest(test, result);
    const title = titleOf(test);
    // Last, because a file may be missing or too large.
    for (const attachment of result.attachments) keepAttachment(attachment, title);
    // Tests have run out of time; stop like on an interrupt.
    if (Date.now() >= cutAt) process.emit('SIGINT', 'SIGINT');
  }

  onError(error) {
    const reported = errorEvent(error);
    // Already reported with the tests.
    if (this.#isOver && timeIsOver.test(error.message)) return;
    this.#isOver ||= timeIsOver.test(error.message);
    // The timeout has no place; use that of the current step.
    const location = reported.location ?? (Date.now() < cutAt ? undefined : this.#openSteps.place());
    report({ kind: 'error', error: { ...reported, location } });
  }

  onEnd() {
    for (const [test, result] of this.#retried) {
      reportTest(test, result);
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

/** Our own frames between the script and its browser are no place in the script. */
function placeOf({ location }) {
  return location?.file.startsWith(inside) ? undefined : location;
}

function reportTest(test, { status, startTime, duration, errors }) {
  const title = titleOf(test);
  const outcome = test.outcome();
  const ok = outcome !== 'unexpected' && status !== 'interrupted';
  const reported = errors.map((error) => errorEvent(error, duration)).map((error) => placed(error, test.location));
  // A test that was expected to fail but passed has no error.
  if (!ok && reported.length === 0)
    reported.push({ message: `${title}: ${status}, not ${test.expectedStatus}`, location: test.location });
  const ran = status !== 'skipped';
  const startedAt = startTime.getTime();
  report({ kind: 'test', title, ok, ran, startedAt, durationMs: duration, errors: ok ? [] : reported });
}

/** Converts an error with its causes, which are more specific. */
function errorEvent(error, durationMs) {
  const causes = [];
  for (let each = error.cause; each && causes.length < 5; each = each.cause)
    causes.push((each.message ?? each.value)?.replace(/^Error: /, ''));
  const message = [textOf(error, durationMs), ...causes].filter(Boolean).join(': ');
  return { message, stack: error.stack, location: placeOf(error) };
}

/** The runner's message when it gives up. */
const timeIsOver = /Timed out waiting [\d.]+s for the .+ to run/;

/** Gives an error without a place in the script, such as a test timeout, the place of its test. */
function placed(error, location) {
  return error.location === undefined && !error.stack?.includes(`${home}/`) ? { ...error, location } : error;
}

/** Replaces Playwright messages about run limits and unsupported features. */
function textOf({ message, value }, durationMs) {
  const text = String(message ?? value ?? '');
  if (text.includes('writing actual'))
    return text.replace(/, writing actual\b.*/, ': add it to the snapshots of the check');
  if (Date.now() < cutAt) return text;
  const together = `the tests of a run share ${testMs / 1000} s`;
  const had = durationMs === undefined ? '' : ` of ${durationMs}ms`;
  return text
    .replace(cutSaid, `timeout${had} exceeded: ${together}`)
    .replace(timeIsOver, `Test timeout exceeded: ${together}`);
}

/** Files created by the runner; all others are the script's own. */
const ofRunner = /[\\/](?:test-(?:failed|finished)-\d+\.png|trace\.zip)$/;

/** Attachments of a screenshot comparison have generated names and other folders. */
const ofComparison = /-(?:expected|previous|actual|diff)\.\w+$/;
const attachedByScript = /[\\/]attachments[\\/][^\\/]+$/;

function isNameOfScript(name, path) {
  return path === undefined || attachedByScript.test(path) || !ofComparison.test(name);
}

/** Stores attached screenshots, traces, and videos that tests request in their settings. */
function keepAttachment({ name, path, body, contentType }, title) {
  const isTrace = name === 'trace' && contentType === 'application/zip';
  // If the check stores videos, we record them.
  const isVideo = name === 'video' && contentType === 'video/webm' && keeps.video === 'off';
  if (!isTrace && !isVideo && !contentType.startsWith('image/')) return;
  const sort = isTrace ? 'trace' : isVideo ? 'video' : 'screenshot';
  const isRequested = !ofRunner.test(path ?? '');
  const setting = isTrace ? keeps.trace : keeps.screenshots;
  keep({
    sort,
    name: isRequested ? name : title,
    // The runner keeps files of failed tests, but a retry may pass.
    when: isRequested || setting === 'always' ? 'always' : 'failed',
    isRequested,
    isNamed: isRequested && isNameOfScript(name, path),
    ...(path === undefined ? { content: body } : { path }),
  });
}

/** Separates marked lines of our own code in workers from output of the script. */
function divided(text) {
  if (!text.includes('\u0001')) return [[], text];
  const reported = [];
  // oxlint-disable-next-line no-control-regex -- our own mark
  const printed = text.replace(/\u0001(\{.*\})\n/g, (_line, json) => {
    try {
      reported.push(JSON.parse(json));
      return '';
    } catch {
      return json;
    }
  });
  return [reported, printed];
}
