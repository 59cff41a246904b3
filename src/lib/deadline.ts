// Runs synchronous work on user-written patterns without blocking the thread.
import { createContext, Script } from 'node:vm';

/** Thrown by `withinMs` when the time is up. */
export class DeadlineError extends Error {
  override name = 'DeadlineError';
}

const context: { run?: () => void } = {};
const script = new Script('run()');
let isReady = false;

/**
 * Calls `work` and returns its result, but stops it after `ms`, even inside a regular expression. `work` must be pure,
 * because it can be stopped at any point. Costs about 0.3 ms, for the watchdog thread.
 * @throws {DeadlineError} when the time is up
 */
export function withinMs<T>(work: () => T, ms: number): T {
  if (!isReady) createContext(context);
  isReady = true;
  const out: { value?: { readonly result: T } } = {};
  context.run = () => {
    out.value = { result: work() };
  };
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.ceil(ms)) });
  } catch (error) {
    // The error may come from the context that was stopped, so it need not be an instance of our Error.
    if (isObject(error) && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new DeadlineError(`not finished within ${ms} ms`);
    }
    throw error;
  } finally {
    delete context.run;
  }
  if (out.value === undefined) throw new DeadlineError(`not finished within ${ms} ms`);
  return out.value.result;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
