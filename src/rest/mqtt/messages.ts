// Messages about test sessions as the `checkly` command line reads them.
import type { TestMessage } from '#actions/sessions/test-messages.ts';
import type { JsonObject } from '#domain/json.ts';
import { testResultToWire } from '../sessions/test-sessions.ts';

/** The last level of a message's topic, and its payload. */
export function payloadOf({ run, kind, result }: TestMessage): { readonly kind: string; readonly payload: object } {
  if (result === null || kind === 'run-start') return { kind: 'run-start', payload: { testResultId: run.id } };
  const body = testResultToWire(result);
  const { described } = result.shown;
  const noVerdict = body.outcome === 'unknown' && !body.isCancelled;
  const cliResult = {
    ...body,
    // A gate must not open on a run without a verdict.
    hasFailures: body.hasFailures || noVerdict,
    ...(noVerdict && { runError: body.message ?? 'The run ended without a verdict.' }),
    checkRunData: runDataOf(run.checkType, described, body.message),
    ...logsOf(described),
  };
  return {
    kind: 'result',
    payload: { result: cliResult, testResultId: body.id, resultType: kind === 'result' ? 'FINAL' : 'ATTEMPT' },
  };
}

/** What the command line prints of a request: of HTTP checks in full, of others why they failed. */
function runDataOf(checkType: string, described: JsonObject | null, message: string | null): object {
  if (described === null) return { requestError: message };
  const { assertions = [], request, response, requestError = null } = described;
  if (checkType !== 'API' && checkType !== 'URL') return { requestError: message, assertions };
  return { assertions, requestError, ...(requestError === null && { request, response }) };
}

/** The output of a script. */
function logsOf(described: JsonObject | null): object {
  const lines = described?.['jobLog'];
  return Array.isArray(lines) ? { logs: lines } : {};
}
