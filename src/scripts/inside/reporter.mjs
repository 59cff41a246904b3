// Tells what Playwright's runner does as it happens, a JSON object a line, to whoever reads file descriptor 3.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKeeper } from './assets.mjs';
import { report } from './report.mjs';

const inside = dirname(fileURLToPath(import.meta.url));

const keep = createKeeper(process.env.TOCSIN_SCRIPT_HOME, report);

/** Steps of these sorts say what the script did; the others are the runner's own. */
const shownSteps = new Set(['test.step', 'pw:api', 'expect']);

// oxlint-disable-next-line import/no-default-export -- as Playwright asks for
export default class Reporter {
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

  onStepEnd(_test, _result, { title, category, startTime, duration, error, location }) {
    if (!shownSteps.has(category)) return;
    const startedAt = startTime.getTime();
    // What stands between a script and its browser is ours, and no place of the script.
    const place = location?.file.startsWith(inside) ? undefined : location;
    const told = { title, category, startedAt, durationMs: duration, error: error?.message ?? null, location: place };
    report({ kind: 'step', ...told });
  }

  onTestEnd(test, { status, startTime, duration, errors, attachments }) {
    const title = test.titlePath().filter(Boolean).slice(1).join(' › ');
    const ok = test.outcome() === 'expected' || test.outcome() === 'skipped';
    const told = errors.map(toldError);
    // Expected to fail, and did not: there is no error then.
    if (!ok && told.length === 0)
      told.push({ message: `${title}: ${status}, not ${test.expectedStatus}`, location: test.location });
    const ran = status !== 'skipped';
    report({
      kind: 'test',
      title,
      ok,
      ran,
      startedAt: startTime.getTime(),
      durationMs: duration,
      errors: ok ? [] : told,
    });
    // Last: files may be gone or too large, and what is known of the test stands.
    for (const attachment of attachments) keepAttachment(attachment, title);
  }

  onError(error) {
    report({ kind: 'error', error: toldError(error) });
  }

  onEnd() {
    report({ kind: 'end' });
  }
}

/** With what it was caused by: that a request failed says less than why. */
function toldError({ message, value, stack, location, cause }) {
  const causes = [];
  for (let each = cause; each && causes.length < 5; each = each.cause)
    causes.push((each.message ?? each.value)?.replace(/^Error: /, ''));
  return { message: [message ?? value, ...causes].filter(Boolean).join(': '), stack, location };
}

/** Files that the runner makes by itself, by their names; all others are the script's own. */
const ofRunner = /[\\/](?:test-(?:failed|finished)-\d+\.png|trace\.zip)$/;

/** Of what a test attaches, pictures and traces: whoever attached them. */
function keepAttachment({ name, path, body, contentType }, title) {
  const isTrace = name === 'trace' && contentType === 'application/zip';
  if (!isTrace && !contentType.startsWith('image/')) return;
  const isRequested = !ofRunner.test(path ?? '');
  const file = path === undefined ? { content: body } : { path };
  keep({
    sort: isTrace ? 'trace' : 'screenshot',
    name: isRequested ? name : title,
    when: 'always',
    isRequested,
    ...file,
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
