// Tells what Playwright's runner does as it happens, a JSON object a line, to whoever reads file descriptor 3.
import { writeSync } from 'node:fs';

/** Steps of these sorts say what the script did; the others are the runner's own. */
const shownSteps = new Set(['test.step', 'pw:api', 'expect']);

// oxlint-disable-next-line import/no-default-export -- as Playwright asks for
export default class Reporter {
  /** Otherwise the runner adds a reporter that prints. */
  printsToStdio() {
    return true;
  }

  onStdOut(chunk) {
    report({ kind: 'print', stream: 'stdout', text: String(chunk) });
  }

  onStdErr(chunk) {
    report({ kind: 'print', stream: 'stderr', text: String(chunk) });
  }

  onStepEnd(_test, _result, { title, category, startTime, duration, error, location }) {
    if (!shownSteps.has(category)) return;
    const startedAt = startTime.getTime();
    report({ kind: 'step', title, category, startedAt, durationMs: duration, error: error?.message ?? null, location });
  }

  onTestEnd(test, { status, startTime, duration, errors }) {
    const title = test.titlePath().filter(Boolean).slice(1).join(' › ');
    const ok = test.outcome() === 'expected' || test.outcome() === 'skipped';
    const told = errors.map(({ message, value, stack, location }) => ({ message: message ?? value, stack, location }));
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
  }

  onError({ message, value, stack, location }) {
    report({ kind: 'error', error: { message: message ?? value, stack, location } });
  }

  onEnd() {
    report({ kind: 'end' });
  }
}

function report(event) {
  let left = Buffer.from(`${JSON.stringify(event)}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(3, left));
    } catch (error) {
      // Who reads is behind: again, until there is room.
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
