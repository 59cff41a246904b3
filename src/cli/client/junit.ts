// Triggered runs as CI systems show them: JUnit XML, and annotations of GitHub Actions.
import type { TriggeredRunBody } from '#contract/checks/trigger.ts';
import { withoutControls, oneLine } from '../terminal-text.ts';
import { isGood } from './triggered-runs.ts';

/**
 * A document with one test case per run: a failed check is a failure; a run without a verdict, or that has not ended, is
 * an error.
 * @param startedAt epoch ms
 */
export function junitXml(runs: readonly TriggeredRunBody[], startedAt: number): string {
  const failures = runs.filter(({ outcome }) => outcome === 'failed').length;
  const errors = runs.filter((run) => run.outcome !== 'failed' && !isGood(run)).length;
  const seconds = runs.reduce((sum, run) => sum + secondsOf(run), 0);
  const counts = `tests="${runs.length}" failures="${failures}" errors="${errors}" time="${seconds.toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="Tocsin" ${counts}>`,
    `  <testsuite name="Tocsin" ${counts} timestamp="${new Date(startedAt).toISOString()}">`,
    ...runs.flatMap(caseLines),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseLines(run: TriggeredRunBody): readonly string[] {
  const { name, runLocation, outcome, message, resultLink } = run;
  const opening = `    <testcase name="${escaped(name)}" classname="${escaped(`Tocsin.${runLocation}`)}" time="${secondsOf(run).toFixed(3)}"`;
  if (isGood(run)) return [`${opening}/>`];
  const element = outcome === 'failed' ? 'failure' : 'error';
  const why = message ?? (outcome === null ? 'not ended in time' : outcome);
  const link = resultLink === null ? '' : `\n${escaped(resultLink)}`;
  return [
    `${opening}>`,
    `      <${element} type="${outcome ?? 'timeout'}" message="${escaped(why)}">${escaped(why)}${link}</${element}>`,
    '    </testcase>',
  ];
}

function secondsOf({ responseTime }: TriggeredRunBody): number {
  return (responseTime ?? 0) / 1000;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** For text and attributes. Characters that XML does not allow become visible. */
function escaped(text: string): string {
  return withoutControls(text.toWellFormed())
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

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
