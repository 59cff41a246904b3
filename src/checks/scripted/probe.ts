// Looks at a target by running the check's script in its runtime: a process of its own, what came of it a finding.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Probe, ProbeInput } from '#domain/probe.ts';
import type { Finding } from '#domain/result.ts';
import { type Runtime, runtimeChoice, runtimeWarnings } from '#domain/runtime.ts';
import type { ScriptLimits, ScriptOutcome, ScriptWork } from '#domain/script.ts';
import type { ScriptProbeMeans, ScriptRuntime } from '../kind.ts';
import { createRedactor, type Redactor } from '../redact.ts';
import { readKeeps, readScript } from './settings.ts';
import { leftOutWarnings } from './left-out.ts';
import { judgeScript } from './verdict.ts';

/** What differs between scripted kinds. */
export interface ScriptedProbe {
  readonly limits: ScriptLimits;
  /** Why a runtime will not do, in a sentence; null = it will. */
  readonly refuses: (runtime: Runtime) => string | null;
  /** Its scripts drive a browser. */
  readonly hasBrowser?: true;
}

export function createScriptedProbe(means: ScriptProbeMeans, { limits, refuses, hasBrowser }: ScriptedProbe): Probe {
  return async (input, signal) => {
    const now = means.now();
    const chosen = chooseRuntime(input, means.runtimes(), now);
    if ('message' in chosen) return notRun(now, chosen.message);
    const script = readScript(input.check.settings);
    const refusal = refuses(chosen.runtime) ?? refusesSort(script.sort, chosen.runtime);
    if (refusal !== null) return notRun(now, refusal);
    const browser = hasBrowser === true ? means.chromium() : null;
    if (hasBrowser === true && browser === null) return notRun(now, noChromium);
    const { folder, nodeBinary } = chosen.runtime;
    const hidden = input.variables.filter(({ locked, secret }) => locked || secret).map(({ value }) => value);
    const redactor = createRedactor(hidden);
    const hide = redactor.text;
    const environment = environmentOf(input);
    const keeps = readKeeps(input.check.settings);
    const hiding = { hide, hidden: redactor.forms };
    const work = { ...script, runtime: { folder, nodeBinary }, environment, ...hiding, browser, keeps, limits };
    const outcome = await means.runScript(work, signal);
    return findingOf(outcome, judgeScript(outcome, limits, script.files, hide), chosen, redactor);
  };
}

/** What a file of tests needs, where the kind itself needs nothing. */
function refusesSort(sort: ScriptWork['sort'], { name, dependencies }: Runtime): string | null {
  const isMissing = sort === 'spec' && dependencies['@playwright/test'] === undefined;
  return isMissing ? `runtime ${name} has no @playwright/test; choose another` : null;
}

const noChromium = 'there is no Chromium here: run npm ci, or name one with TOCSIN_CHROMIUM';

interface Chosen {
  readonly runtime: ScriptRuntime;
  readonly warnings: readonly string[];
}

/** The runtime it runs in, with what is to be said of it (decisions: Runtimes). */
function chooseRuntime(
  { check, group, accountRuntimeId }: ProbeInput,
  installed: readonly ScriptRuntime[],
  now: number,
): Chosen | { readonly message: string } {
  const { runtimeId, runtimeFallback } = check;
  const wanted = { check: runtimeId, group: group?.runtimeId ?? null, account: accountRuntimeId, runtimeFallback };
  const choice = runtimeChoice(wanted, installed, now);
  if (choice.runtime === null) return { message: choice.message };
  return { runtime: choice.runtime, warnings: runtimeWarnings(wanted, choice, now) };
}

function environmentOf({ check, variables }: ProbeInput): Record<string, string> {
  const own = { CHECK_ID: check.id, CHECK_NAME: check.name, CHECK_TYPE: check.checkType };
  return { ...own, ...Object.fromEntries(variables.map(({ key, value }) => [key, value])) };
}

function notRun(now: number, message: string): Finding {
  const nothing = { responseTimeMs: null, loopDelayMs: 0, details: null, exchange: null, certificate: null };
  return {
    verdict: 'unknown',
    reason: 'runtime',
    message: `not run: ${message}`,
    startedAt: now,
    stoppedAt: now,
    ...nothing,
  };
}

function findingOf(
  outcome: ScriptOutcome,
  { verdict, reason, message }: ReturnType<typeof judgeScript>,
  { runtime, warnings }: Chosen,
  hide: Redactor,
): Finding {
  const { startedAt, stoppedAt, testsMs, tests, failedTests, errors, steps, log } = outcome;
  const { pageLines, pageVitals, assets, leftOut } = outcome;
  const details: JsonObject = {
    runtime: runtime.name,
    node: runtime.nodeJsVersion,
    warnings: [...warnings, ...leftOutWarnings(leftOut)],
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

function placeFields(place: ScriptOutcome['errors'][number]['place']): Record<string, JsonValue> {
  return { file: place?.file ?? null, line: place?.line ?? null, column: place?.column ?? null };
}
