// Probes a target by running the check's script in its own process.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Probe, ProbeInput, ProbeProgress } from '#domain/checks/probe.ts';
import type { Asset } from '#domain/results/asset.ts';
import type { Finding } from '#domain/results/result.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import {
  keepsNothing,
  type ScriptLimits,
  type ScriptOutcome,
  type ScriptProgress,
  type ScriptWork,
  type LeftOutAsset,
  type ScriptSnapshot,
} from '#domain/checks/script.ts';
import { missingVariable, wrongSettings } from '../findings/judge.ts';
import { hiddenVariables } from '../findings/prepare.ts';
import type { SideProbe, ScriptProbeDeps } from '../../kind.ts';
import { sideProbeUses } from './side-probe.ts';
import { createRedactor, type Redactor } from '../redact.ts';
import { type ChosenRuntime, chooseRuntime, environmentOf, withoutRuntime } from './runtime.ts';
import { describeProgress } from './describe.ts';
import { readKeeps, readScript } from './settings.ts';
import { judgeScript } from './verdict.ts';

/** Differences between scripted kinds. */
interface ScriptedProbe {
  /** Default limits. */
  readonly limits: ScriptLimits;
  /** Returns why a runtime is unsuitable, or null. */
  readonly refuses: (runtime: Runtime) => string | null;
  /** Whether scripts drive a browser. */
  readonly hasBrowser?: true;
  /** What checks monitor besides their scripts. */
  readonly sideProbe?: SideProbe;
}

export function createScriptedProbe(deps: ScriptProbeDeps, kind: ScriptedProbe): Probe {
  const { refuses, hasBrowser, sideProbe } = kind;
  return async (input, signal, onProgress) => {
    const wallClockMs = deps.wallClockMs[input.check.checkType] ?? kind.limits.wallClockMs;
    const limits = { ...kind.limits, wallClockMs };
    const now = deps.now();
    const chosen = chooseRuntime(input, deps.runtimes(), now);
    if ('message' in chosen) return withoutRuntime(now, chosen.message);
    const names = new Set(input.variables.map(({ key }) => key));
    const missing = missingVariable(sideProbe === undefined ? [] : sideProbeUses(input.check.settings), names);
    if (missing !== null) return wrongSettings(now, missing);
    const script = readScript(input.check.settings);
    const refusal = refuses(chosen.runtime) ?? refusesSort(script.sort, chosen.runtime);
    if (refusal !== null) return withoutRuntime(now, refusal);
    const browser = hasBrowser === true ? deps.chromium() : null;
    if (hasBrowser === true && browser === null) return withoutRuntime(now, noChromium);
    const snapshots = await readSnapshots(input.check.accountId, script.snapshots, deps);
    if (typeof snapshots === 'string') return withoutRuntime(now, snapshots);
    const { folder, nodeBinary } = chosen.runtime;
    const redactor = createRedactor(hiddenVariables(input));
    const hide = redactor.text;
    const environment = environmentOf(input);
    // Without a browser there are no screenshots or videos, only the trace that tests request.
    const asked = readKeeps(input.check.settings);
    const keeps = browser === null ? { ...keepsNothing, trace: script.sort === 'spec' ? asked.trace : 'off' } : asked;
    const hiding = { hide, hidden: redactor.forms };
    const follow = onProgress && {
      onProgress: (progress: ScriptProgress) => onProgress(progressOf(progress, redactor)),
    };
    const runtime = { folder, nodeBinary };
    const work = { ...script, snapshots, runtime, environment, ...hiding, browser, keeps, limits, ...follow };
    // Runs concurrently and does not affect the verdict.
    const inspected = certificateOf(input, signal, deps, kind);
    const outcome = await deps.runScript(work, signal);
    const { certificate, message } = await inspected;
    const unseen = message === null ? [] : [`the certificate of sslCheckDomain could not be read: ${message}`];
    const reported = { ...chosen, warnings: [...chosen.warnings, ...unseen] };
    const finding = findingOf(outcome, judgeScript(outcome, limits, script.files, hide), reported, redactor);
    return { ...finding, certificate };
  };
}

/** Returns the certificate of the monitored domain, or why it could not be read. Empty if no domain is set. */
async function certificateOf(
  input: ProbeInput,
  signal: AbortSignal,
  { runSideProbe }: ScriptProbeDeps,
  { sideProbe }: ScriptedProbe,
): Promise<Pick<Finding, 'certificate' | 'message'>> {
  return sideProbe?.has(input.check) === true ? runSideProbe(input, signal) : { certificate: null, message: null };
}

/** Returns why a runtime cannot run a test file, or null. */
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
  const exchange = exchangeOf({ steps, log, pageLines });
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
    ...(assets.length > 0 && { assets: shownAssets(assets, hide) }),
  };
}

/** Steps and output as stored. */
function exchangeOf({ steps, log, pageLines }: Pick<ScriptOutcome, 'steps' | 'log' | 'pageLines'>): JsonObject {
  return {
    steps: steps.map(({ place, ...step }) => ({ ...step, ...placeFields(place) })),
    log: log.map((line) => ({ ...line })),
    ...(pageLines.length > 0 && { pageLines: pageLines.map((line) => ({ ...line })) }),
  };
}

/** Masks asset names, but not the pictures. */
function shownAssets(assets: readonly Asset[], hide: Redactor): Asset[] {
  return assets.map((asset) => ({ ...asset, name: hide.text(asset.name) }));
}

function progressOf(progress: ScriptProgress, hide: Redactor): ProbeProgress {
  const { startedAt, openStep, screenshots, isCut } = progress;
  const exchange = { ...exchangeOf(progress), openStep: openStep?.message ?? null, isCut };
  const reported = describeProgress(startedAt, hide.json(exchange));
  return { reported, screenshots: shownAssets(screenshots, hide) };
}

/** Warns about a test that failed and passed on retry. */
function flakyWarning(title: string): string {
  return `flaky: ${title} failed and passed when retried`;
}

function placeFields(place: ScriptOutcome['errors'][number]['place']): Record<string, JsonValue> {
  return { file: place?.file ?? null, line: place?.line ?? null, column: place?.column ?? null };
}

const reasons: Readonly<Record<LeftOutAsset['why'], string>> = {
  size: 'the limit is 10 MB per file',
  total: 'the limit is 20 MB per run',
  count: 'too many files',
  content: 'the content is not valid',
};

/** One message per file type and reason. */
function leftOutWarnings(leftOut: readonly LeftOutAsset[]): string[] {
  const alike = Map.groupBy(leftOut, ({ sort, why }) => `${sort} ${why}`);
  return [...alike.values()].flatMap((assets) => {
    const [first] = assets;
    if (first === undefined) return [];
    const { sort, why } = first;
    const what = assets.length === 1 ? `a ${sort}` : `${assets.length} ${sort}s`;
    const bytes = assets.reduce((sum, asset) => sum + (asset.bytes ?? 0), 0);
    return [`${what}${bytes > 0 ? ` of ${formatSize(bytes)}` : ''} not stored: ${reasons[why]}`];
  });
}

function formatSize(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Reads the content of snapshots; returns why the script cannot run if one is not stored. */
async function readSnapshots(
  accountId: string,
  snapshots: readonly ScriptSnapshot[],
  { readScriptFile }: Pick<ScriptProbeDeps, 'readScriptFile'>,
): Promise<NonNullable<ScriptWork['snapshots']> | string> {
  const read: { readonly path: string; readonly content: Uint8Array }[] = [];
  for (const { path, key } of snapshots) {
    const content = await readScriptFile(accountId, key);
    if (content === null) return `the snapshot ${path} is not stored; upload it again`;
    read.push({ path, content });
  }
  const names = new Set(snapshots.map(({ path }) => path));
  const others = read.flatMap(({ path, content }) => {
    const name = withoutProject(path);
    return names.has(name) ? [] : [{ path: name, content }];
  });
  return [...read, ...others];
}

/** A snapshot of the project `chromium`, as Playwright names it where tests have no project. */
function withoutProject(path: string): string {
  return path.replace(/-chromium(-linux\.\w+)$/i, '$1');
}
