// Annotations of triggered runs for GitHub Actions.
import type { TriggeredRunBody } from '#contract/checks/trigger.ts';
import { oneLine } from '../terminal-text.ts';
import { isGood } from './triggered-runs.ts';

/** Annotations of runs that are a reason to stop a deployment, and warnings of degraded ones. */
export function annotations(runs: readonly TriggeredRunBody[]): readonly string[] {
  return runs.flatMap((run) => {
    const { name, outcome, message, resultLink } = run;
    if (outcome === 'passed') return [];
    const state = outcome ?? 'not ended in time';
    const title = property(`${oneLine(name)}: ${state}`);
    const text = [oneLine(message ?? state), resultLink ?? ''].filter((line) => line !== '').join('\n');
    return [`::${isGood(run) ? 'warning' : 'error'} title=${title}::${data(text)}`];
  });
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
