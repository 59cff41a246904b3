// Runs a script in a contained, monitored process, and ends everything it started.
import { errorMessage } from '#lib/errors.ts';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ScriptOutcome, ScriptWork } from '#domain/checks/script.ts';
import { hasGateway } from './containment/containment.ts';
import { type FollowOptions, followReport } from './follow-report.ts';
import { lineReader, outputReader } from './lines.ts';
import { addLine, emptyReport, readReportLine, type Report, type ReportDeps, type ReportedAsset } from './report.ts';
import {
  beginProcess,
  type Closed,
  endProcess,
  giveOrder,
  inspect,
  makePlace,
  type ProcessDeps,
  type ScriptPlace,
  type ScriptProcess,
} from './script-process.ts';
import { takeAssets } from './take-assets.ts';
import { traceMasker } from './trace-masker.ts';
import { watchUse } from './watch-use.ts';

export interface OpenedGateway {
  readonly close: () => void;
  /** Whether lookups of the script have no answer because no name server of this machine answers. */
  readonly isResolverDown: () => Promise<boolean>;
}

/** Opens a gateway at `path`, only for the user `owner` (null = the current one). Rejects with a message. */
export type OpenGateway = (path: string, owner: number | null) => Promise<OpenedGateway>;

export interface ScriptDeps extends ProcessDeps {
  readonly openGateway: OpenGateway;
  /** Whether no name server of this machine answers, for scripts without a gateway. Default: one does. */
  readonly isResolverDown?: () => Promise<boolean>;
}

/**
 * Runs a script once; the signal ends it. Never rejects.
 *
 * @param warm a waiting process of the same shape, which is used up. If it ends before the script starts, a new one is
 * started
 */
export async function runScript(
  work: ScriptWork,
  signal: AbortSignal,
  deps: ScriptDeps,
  warm: ScriptProcess | null = null,
): Promise<ScriptOutcome> {
  const report = emptyReport();
  const outcome = await runIn(warm, { work, startedAt: Date.now(), signal, report }, deps);
  const isLost = warm !== null && outcome.ending === 'crashed' && !report.hasBegun;
  return isLost ? runScript(work, signal, deps) : outcome;
}

interface Run {
  readonly work: ScriptWork;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly report: Report;
}

async function runIn(warm: ScriptProcess | null, run: Run, deps: ScriptDeps): Promise<ScriptOutcome> {
  const { work, startedAt, signal, report } = run;
  let place = warm?.place ?? null;
  let gateway: OpenedGateway | null = null;
  try {
    place ??= await makePlace(work, deps);
    const { folder, command, owner } = place;
    if (hasGateway(deps.containment)) gateway = await openGatewayIn(folder.gateway, owner, deps);
    const files = [...work.files, ...(work.snapshots ?? []), ...browserFiles(work, deps)];
    await folder.put(files, command.packages);
    if (signal.aborted) return outcomeOf(report, 'stopped', startedAt, null);
    const whose = owner ?? process.getuid?.() ?? 0;
    const taking = { owner: whose, hasFailed: false, mask: traceMasker(work.hidden) };
    const take: FollowOptions['take'] = (assets) => takeAssets(folder.home, wantedOf({ assets }, work), taking);
    const { onProgress } = work;
    const stopFollowing = onProgress === undefined ? undefined : followReport(report, { startedAt, onProgress, take });
    const outcome = await conduct(orderedProcess(warm, place, work), run).finally(stopFollowing);
    const { ending, failedTests, errors } = outcome;
    if (ending === 'stopped' || ending === 'crashed') return outcome;
    const hasFailed = ending !== 'ended' || failedTests > 0 || errors.length > 0;
    const isUnresolved = hasFailed && (await isResolverDown(gateway, outcome, deps));
    const assets = await takeAssets(folder.home, wantedOf(report, work), { ...taking, hasFailed });
    return { ...outcome, ...assets, ...(isUnresolved && { isResolverDown: true }) };
  } catch (error) {
    const why = errorMessage(error);
    return outcomeOf(emptyReport(), 'crashed', startedAt, `the script could not be started: ${why}`);
  } finally {
    gateway?.close();
    if (warm !== null) endProcess(warm);
    await place?.folder.remove();
  }
}

/** Lookup errors of Node.js and Chromium that do not say whether the name exists. */
const lookupFailed = /\b(?:EAI_AGAIN|ERR_NAME_NOT_RESOLVED|ERR_NAME_RESOLUTION_FAILED)\b/;

/** Whether a script may have failed because our name servers do not answer. */
function isResolverDown(
  gateway: OpenedGateway | null,
  { errors }: ScriptOutcome,
  deps: ScriptDeps,
): Promise<boolean> | boolean {
  if (gateway !== null) return gateway.isResolverDown();
  return errors.some(({ message }) => lookupFailed.test(message)) && (deps.isResolverDown?.() ?? false);
}

/** Files that the browser reads in its user's home. */
function browserFiles({ browser }: ScriptWork, { trustedCas = null }: ScriptDeps) {
  if (browser === null || trustedCas === null) return [];
  return [{ path: '.pki/nssdb/cert9.db', content: trustedCas.nssDatabase }];
}

/** Starts the process with its order, or gives the order to the warm one. */
function orderedProcess(warm: ScriptProcess | null, place: ScriptPlace, work: ScriptWork): ScriptProcess {
  const order = orderOf(work);
  if (warm === null) return beginProcess(work, place, order);
  giveOrder(warm, order);
  return warm;
}

/** Filters assets by the settings of the check, regardless of the report. */
function wantedOf(
  { assets }: { readonly assets: readonly ReportedAsset[] },
  { keeps, browser }: ScriptWork,
): readonly ReportedAsset[] {
  const settings = { screenshot: keeps.screenshots, trace: keeps.trace, video: keeps.video };
  // Without a setting for videos, the script may request them.
  const isAsked = ({ sort, isRequested }: ReportedAsset): boolean =>
    sort === 'video' && isRequested && browser !== null;
  return assets.filter((asset) => settings[asset.sort] !== 'off' || isAsked(asset));
}

/** Maximum length of a socket path. */
const maxSocketName = 107;

function openGatewayIn(folder: string, owner: number | null, deps: ScriptDeps): Promise<OpenedGateway> {
  const path = join(folder, 'socket');
  if (Buffer.byteLength(path) <= maxSocketName) return deps.openGateway(path, owner);
  throw new Error(`${path} is too long for a socket path: set TMPDIR to a path of at most 60 characters`);
}

type Ending = ScriptOutcome['ending'];

/** Runs from the order until all processes have ended. */
async function conduct(running: ScriptProcess, { work, startedAt, signal, report }: Run): Promise<ScriptOutcome> {
  const { limits } = work;
  const { child, closed, place } = running;
  const { folder, command } = place;
  let ending: Ending | null = null;
  let waitedMs = 0;
  const watch = watchUse(child, inspect(running), folder.home, limits, (passed) => end(passed));
  const end = (why: Ending): void => {
    ending ??= why;
    // Only the processes themselves know it.
    if (why === 'deadline') waitedMs = watch.waitedMs();
    watch.killAll();
  };
  const timer = setTimeout(() => end('deadline'), limits.wallClockMs);
  const onAbort = (): void => end('stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const { hide, onSecret } = work;
    const reported: ReportDeps = { startedAt, home: command.home, hide, ...(onSecret !== undefined && { onSecret }) };
    const flush = readAll(child, report, reported, limits.outputBytes, () => end('output'));
    const how = await closed;
    flush();
    // Ends everything that it left running, in its process group or not.
    watch.killAll();
    if (ending !== null) return { ...outcomeOf(report, ending, startedAt, null), waitedMs };
    if (isOutOfMemory(report)) return outcomeOf(report, 'memory', startedAt, null);
    if (await watch.isDiskFull()) return outcomeOf(report, 'disk', startedAt, null);
    return endedOutcome(report, how, startedAt);
  } finally {
    clearTimeout(timer);
    watch.stop();
    signal.removeEventListener('abort', onAbort);
  }
}

/** The outcome if no limit ended the script. A missing report is the script's fault if it ended itself. */
function endedOutcome(report: Report, { code, why, isForeign }: Closed, startedAt: number): ScriptOutcome {
  if (report.isEnded) return outcomeOf(report, 'ended', startedAt, null);
  if (report.hasBegun && isForeign)
    return outcomeOf(report, 'crashed', startedAt, `the script's process was killed from outside (${code})`);
  if (report.hasBegun) {
    report.failedTests++;
    report.errors.push({ message: `the script's process ended with ${code}`, place: null });
    return outcomeOf(report, 'ended', startedAt, null);
  }
  const last = report.log.findLast(({ stream }) => stream === 'stderr');
  const said = last?.text.trim().slice(-500) ?? '';
  const problem = why ?? `the script's process ended with ${code}${said === '' ? '' : `: ${said}`}`;
  return outcomeOf(report, 'crashed', startedAt, problem);
}

/** Time before the limit of the run at which hanging tests are ended, so that the runner can report them. */
const showMs = 15_000;
/** Time before the limit at which the browser's state is saved. The program may still end in time. */
const programShowMs = 10_000;

/** Builds the order for a script's process. */
function orderOf({ environment, entry, files, hook, keeps, limits: { wallClockMs } }: ScriptWork): object {
  const testMs = wallClockMs - Math.min(showMs, wallClockMs / 2);
  const showAtMs = wallClockMs - Math.min(programShowMs, wallClockMs / 2);
  return { environment, entry, hasFiles: files.length > 1, hook, keeps, wallClockMs, testMs, showAtMs };
}

/** Maximum characters of a report line; real ones are shorter. */
const maxLine = 1 << 20;
/** Maximum characters of output waiting for the end of its line. */
const maxHeld = 16_384;

/** Maximum pieces of output waiting for the end of the script. */
const maxPieces = 1000;

/** A piece of output and its time (epoch ms). */
interface Printed {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  readonly at: number;
}

/** @returns a function that flushes pending output */
function readAll(child: ChildProcess, report: Report, deps: ReportDeps, max: number, onFlood: () => void): () => void {
  let bytes = 0;
  const count = (chunk: Buffer): boolean => {
    bytes += chunk.length;
    if (bytes > max) onFlood();
    return bytes <= max;
  };
  const held: Printed[] = [];
  const outputs = (['stdout', 'stderr'] as const).map((stream) => {
    const output = outputReader(maxHeld, (text) => {
      // If the script may still report secrets, output is not truncated before its end.
      if (deps.onSecret === undefined) addLine(report, stream, text, deps);
      else if (held.length < maxPieces) held.push({ stream, text, at: Date.now() });
    });
    child[stream]?.on('data', (chunk: Buffer) => count(chunk) && output.read(chunk));
    return output;
  });
  const reported = child.stdio[3] as Readable | null | undefined;
  const read = lineReader(maxLine, (line) => readReportLine(report, line, deps), onFlood);
  reported?.setEncoding('utf8');
  reported?.on('data', (chunk: string) => {
    if (count(Buffer.from(chunk))) read(chunk);
  });
  reported?.on('error', () => undefined);
  // A warm process was read before, and its stream was paused.
  reported?.resume();
  return () => {
    for (const output of outputs) output.end();
    for (const { stream, text, at } of held) addLine(report, stream, text, deps, at);
  };
}

/**
 * Whether V8 ended the process, or a test worker, because the heap is full. A script that ended normally may have
 * printed the same text.
 */
function isOutOfMemory({ log, isEnded, errors }: Report): boolean {
  const isDead =
    !isEnded || errors.some(({ message }) => message.startsWith('Error: worker process exited unexpectedly'));
  return (
    isDead &&
    log.some(
      ({ stream, text }) =>
        stream === 'stderr' && /JavaScript heap out of memory|FatalOOM|Fatal process out of memory/.test(text),
    )
  );
}

function outcomeOf(report: Report, ending: Ending, startedAt: number, problem: string | null): ScriptOutcome {
  const { hasBegun: _hasBegun, isEnded: _isEnded, pageVitals: vitalsOf, ...reported } = report;
  const pageVitals = [...vitalsOf].map(([url, vitals]) => ({ url, vitals }));
  return { ...reported, pageVitals, assets: [], leftOut: [], ending, problem, startedAt, stoppedAt: Date.now() };
}
