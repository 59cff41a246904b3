// Looks at a target by running the check's script in its runtime: a process of its own, what came of it a finding.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Probe, ProbeInput } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import { keepsNothing, type ScriptLimits, type ScriptOutcome, type ScriptWork } from '#domain/checks/script.ts';
import { missingVariable, wrongSettings } from '../findings/judge.ts';
import type { BesideScripts, ScriptProbeMeans } from '../../kind.ts';
import { besideUses } from './beside.ts';
import { createRedactor, type Redactor } from '../redact.ts';
import { type ChosenRuntime, chooseRuntime, environmentOf, hiddenVariables, withoutRuntime } from './runtime.ts';
import { readKeeps, readScript } from './settings.ts';
import { leftOutWarnings } from './left-out.ts';
import { judgeScript } from './verdict.ts';

/** What differs between scripted kinds. */
export interface ScriptedProbe {
  /** Its time where none is set. */
  readonly limits: ScriptLimits;
  /** Why a runtime will not do, in a sentence; null = it will. */
  readonly refuses: (runtime: Runtime) => string | null;
  /** Its scripts drive a browser. */
  readonly hasBrowser?: true;
  /** What its checks may name beside their scripts. */
  readonly beside?: BesideScripts;
}

export function createScriptedProbe(means: ScriptProbeMeans, kind: ScriptedProbe): Probe {
  const { refuses, hasBrowser, beside } = kind;
  return async (input, signal) => {
    const wallClockMs = means.wallClockMs[input.check.checkType] ?? kind.limits.wallClockMs;
    const limits = { ...kind.limits, wallClockMs };
    const now = means.now();
    const chosen = chooseRuntime(input, means.runtimes(), now);
    if ('message' in chosen) return withoutRuntime(now, chosen.message);
    const names = new Set(input.variables.map(({ key }) => key));
    const missing = missingVariable(beside === undefined ? [] : besideUses(input.check.settings), names);
    if (missing !== null) return wrongSettings(now, missing);
    const script = readScript(input.check.settings);
    const refusal = refuses(chosen.runtime) ?? refusesSort(script.sort, chosen.runtime);
    if (refusal !== null) return withoutRuntime(now, refusal);
    const browser = hasBrowser === true ? means.chromium() : null;
    if (hasBrowser === true && browser === null) return withoutRuntime(now, noChromium);
    const { folder, nodeBinary } = chosen.runtime;
    const redactor = createRedactor(hiddenVariables(input));
    const hide = redactor.text;
    const environment = environmentOf(input);
    // Who has no browser has nothing to show of it, whatever it says, but what its tests asked.
    const asked = readKeeps(input.check.settings);
    const keeps = browser === null ? { ...keepsNothing, trace: script.sort === 'spec' ? asked.trace : 'off' } : asked;
    const hiding = { hide, hidden: redactor.forms };
    const work = { ...script, runtime: { folder, nodeBinary }, environment, ...hiding, browser, keeps, limits };
    // Meanwhile, and whatever comes of it the verdict is that of the script.
    const looked = certificateBeside(input, signal, means, kind);
    const outcome = await means.runScript(work, signal);
    const { certificate, message } = await looked;
    const unseen = message === null ? [] : [`the certificate of sslCheckDomain could not be read: ${message}`];
    const told = { ...chosen, warnings: [...chosen.warnings, ...unseen] };
    const finding = findingOf(outcome, judgeScript(outcome, limits, script.files, hide), told, redactor);
    return { ...finding, certificate };
  };
}

/** The certificate of what a check names beside its script, or why none was seen; nothing where it names nothing. */
async function certificateBeside(
  input: ProbeInput,
  signal: AbortSignal,
  { lookBeside }: ScriptProbeMeans,
  { beside }: ScriptedProbe,
): Promise<Pick<Finding, 'certificate' | 'message'>> {
  return beside?.has(input.check) === true ? lookBeside(input, signal) : { certificate: null, message: null };
}

/** What a file of tests needs, where the kind itself needs nothing. */
function refusesSort(sort: ScriptWork['sort'], { name, dependencies }: Runtime): string | null {
  const isMissing = sort === 'spec' && dependencies['@playwright/test'] === undefined;
  return isMissing ? `runtime ${name} does not include @playwright/test; choose another` : null;
}

const noChromium = 'Chromium is not installed; run npm ci or set TOCSIN_CHROMIUM';

function findingOf(
  outcome: ScriptOutcome,
  { verdict, reason, message }: ReturnType<typeof judgeScript>,
  { runtime, warnings }: ChosenRuntime,
  hide: Redactor,
): Finding {
  const { startedAt, stoppedAt, testsMs, tests, failedTests, errors, steps, log } = outcome;
  const { pageLines, pageVitals, assets, leftOut, flaky } = outcome;
  const details: JsonObject = {
    runtime: runtime.name,
    node: runtime.nodeJsVersion,
    warnings: [...warnings, ...flaky.map(flakyWarning), ...leftOutWarnings(leftOut)],
    startedAt,
    stoppedAt,
    tests,
    failedTests,
    ...(pageVitals.length > 0 && { vitals: pageVitals.map(({ url, vitals }) => ({ url, vitals: { ...vitals } })) }),
    errors: errors.slice(0, 10).map(({ message: text, place }) => ({ message: text, ...placeFields(place) })),
  };
  const exchange: JsonObject = {
    steps: steps.map(({ place, ...step }) => ({ ...step, ...placeFields(place) })),
    log: log.map((line) => ({ ...line })),
    ...(pageLines.length > 0 && { pageLines: pageLines.map((line) => ({ ...line })) }),
  };
  return {
    verdict,
    reason,
    message: message === null ? null : hide.text(message),
    startedAt,
    stoppedAt,
    responseTimeMs: testsMs,
    loopDelayMs: 0,
    details: hide.json(details),
    exchange: JSON.stringify(hide.json(exchange)),
    certificate: null,
    // In pictures no hidden values are looked for; in their names they are.
    ...(assets.length > 0 && { assets: assets.map((asset) => ({ ...asset, name: hide.text(asset.name) })) }),
  };
}

/** Of a test that the script has tried again: it passed, and says less than one that always does. */
function flakyWarning(title: string): string {
  return `flaky: ${title} failed and passed when retried`;
}

function placeFields(place: ScriptOutcome['errors'][number]['place']): Record<string, JsonValue> {
  return { file: place?.file ?? null, line: place?.line ?? null, column: place?.column ?? null };
}
