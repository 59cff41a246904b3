// Runs a script in a process of its own: contained, watched, ended with all it started, and nothing of it left behind.
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ScriptOutcome, ScriptWork } from '#domain/checks/script.ts';
import { hasGateway } from './containment/containment.ts';
import { lineReader, outputReader } from './lines.ts';
import { addLine, emptyReport, readReportLine, type Report, type ReportMeans } from './report.ts';
import {
  beginProcess,
  type Closed,
  endProcess,
  giveOrder,
  lookAt,
  makePlace,
  type ProcessMeans,
  type ScriptPlace,
  type ScriptProcess,
} from './script-process.ts';
import { takeAssets } from './take-assets.ts';
import { traceMasker } from './trace-masker.ts';
import { watchUse } from './watch-use.ts';

/**
 * Listens at `path` for what a script wants to connect to, for the user `owner` alone (null = ours). Answers with how to end it,
 * and rejects with a sentence.
 */
export type OpenGateway = (path: string, owner: number | null) => Promise<() => void>;

/** How scripts are run here. */
export interface ScriptMeans extends ProcessMeans {
  readonly openGateway: OpenGateway;
}

/**
 * Runs it once; the signal ends it. Never rejects.
 *
 * @param warm a process of the work's shape that waits for an order, and is used up; where it ends before the script has begun,
 *   another one is begun instead
 */
export async function runScript(
  work: ScriptWork,
  signal: AbortSignal,
  means: ScriptMeans,
  warm: ScriptProcess | null = null,
): Promise<ScriptOutcome> {
  const report = emptyReport();
  const outcome = await runIn(warm, { work, startedAt: Date.now(), signal, report }, means);
  const isLost = warm !== null && outcome.ending === 'crashed' && !report.hasBegun;
  return isLost ? runScript(work, signal, means) : outcome;
}

interface Run {
  readonly work: ScriptWork;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly report: Report;
}

async function runIn(warm: ScriptProcess | null, run: Run, means: ScriptMeans): Promise<ScriptOutcome> {
  const { work, startedAt, signal, report } = run;
  let place = warm?.place ?? null;
  let closeGateway: (() => void) | null = null;
  try {
    place ??= await makePlace(work, means);
    const { folder, command, owner } = place;
    if (hasGateway(means.containment)) closeGateway = await openGatewayIn(folder.gateway, owner, means);
    const files = [...work.files, ...browserFiles(work, means)];
    await folder.put(files, command.packages);
    if (signal.aborted) return outcomeOf(report, 'stopped', startedAt, null);
    const outcome = await conduct(orderedProcess(warm, place, work), run);
    const { ending, failedTests, errors } = outcome;
    if (ending === 'stopped' || ending === 'crashed') return outcome;
    const hasFailed = ending !== 'ended' || failedTests > 0 || errors.length > 0;
    const whose = owner ?? process.getuid?.() ?? 0;
    const taking = { owner: whose, hasFailed, mask: traceMasker(work.hidden) };
    return { ...outcome, ...(await takeAssets(folder.home, wantedOf(report, work), taking)) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return outcomeOf(emptyReport(), 'crashed', startedAt, `the script could not be started: ${why}`);
  } finally {
    closeGateway?.();
    if (warm !== null) endProcess(warm);
    await place?.folder.remove();
  }
}

/** What a browser reads in the home of its user. */
function browserFiles({ browser }: ScriptWork, { trustedCas = null }: ScriptMeans) {
  if (browser === null || trustedCas === null) return [];
  return [{ path: '.pki/nssdb/cert9.db', content: trustedCas.nssDatabase }];
}

/** With the order that the work is. */
function orderedProcess(warm: ScriptProcess | null, place: ScriptPlace, work: ScriptWork): ScriptProcess {
  const order = orderOf(work);
  if (warm === null) return beginProcess(work, place, order);
  giveOrder(warm, order);
  return warm;
}

/** Assets of the sorts that the check keeps: pictures and traces that are off are off whoever says otherwise. */
function wantedOf({ assets }: Report, { keeps, browser }: ScriptWork): Report['assets'] {
  const settings = { screenshot: keeps.screenshots, trace: keeps.trace, video: keeps.video };
  // Videos are off where nothing is said: then the script may ask for them.
  const isAsked = ({ sort, isRequested }: Report['assets'][number]): boolean =>
    sort === 'video' && isRequested && browser !== null;
  return assets.filter((asset) => settings[asset.sort] !== 'off' || isAsked(asset));
}

/** The longest name that a socket may have, bytes. */
const mostSocketName = 107;

function openGatewayIn(folder: string, owner: number | null, means: ScriptMeans): Promise<() => void> {
  const path = join(folder, 'socket');
  if (Buffer.byteLength(path) <= mostSocketName) return means.openGateway(path, owner);
  throw new Error(`${path} is too long for a socket path: set TMPDIR to a path of at most 60 characters`);
}

type Ending = ScriptOutcome['ending'];

/** From the order to the end of all that it has started. */
async function conduct(running: ScriptProcess, { work, startedAt, signal, report }: Run): Promise<ScriptOutcome> {
  const { limits } = work;
  const { child, closed, place } = running;
  const { folder, command } = place;
  let ending: Ending | null = null;
  const watch = watchUse(child, lookAt(running), folder.home, limits, (passed) => end(passed));
  const end = (why: Ending): void => {
    ending ??= why;
    watch.killAll();
  };
  const timer = setTimeout(() => end('deadline'), limits.wallClockMs);
  const onAbort = (): void => end('stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const { hide, onSecret } = work;
    const told: ReportMeans = { startedAt, home: command.home, hide, ...(onSecret !== undefined && { onSecret }) };
    const flush = readAll(child, report, told, limits.outputBytes, () => end('output'));
    const how = await closed;
    flush();
    // Whatever it left running ends now, whether it stayed in its group or not.
    watch.killAll();
    if (ending !== null) return outcomeOf(report, ending, startedAt, null);
    if (isOutOfMemory(report)) return outcomeOf(report, 'memory', startedAt, null);
    if (await watch.isDiskFull()) return outcomeOf(report, 'disk', startedAt, null);
    return endedOutcome(report, how, startedAt);
  } finally {
    clearTimeout(timer);
    watch.stop();
    signal.removeEventListener('abort', onAbort);
  }
}

/** What came of a script that no limit ended: that it left no report is its own fault where it did that itself. */
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

/** Before the limit of the whole run tests that hang are ended by their runner, which then says where, and shows it, ms. */
const showMs = 15_000;
/** So long before it what a program's browser has to show is kept, ms: it may still end by itself. */
const programShowMs = 10_000;

/** What the process of a script is told to do. */
function orderOf({ environment, entry, around, keeps, limits: { wallClockMs } }: ScriptWork): object {
  const testMs = wallClockMs - Math.min(showMs, wallClockMs / 2);
  const showAtMs = wallClockMs - Math.min(programShowMs, wallClockMs / 2);
  return { environment, entry, around, keeps, wallClockMs, testMs, showAtMs };
}

/** Characters of a line of the report: more than any that is not made to be long. */
const mostLine = 1 << 20;
/** Characters of output that wait for the end of their line. */
const mostHeld = 16_384;

/** Pieces of output that wait for the end of the script. */
const mostPieces = 1000;

/** A piece of output, and when it came, epoch ms. */
interface Printed {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  readonly at: number;
}

/** @returns hands on what was held back */
function readAll(
  child: ChildProcess,
  report: Report,
  means: ReportMeans,
  most: number,
  onFlood: () => void,
): () => void {
  let bytes = 0;
  const count = (chunk: Buffer): boolean => {
    bytes += chunk.length;
    if (bytes > most) onFlood();
    return bytes <= most;
  };
  const held: Printed[] = [];
  const outputs = (['stdout', 'stderr'] as const).map((stream) => {
    const output = outputReader(mostHeld, (text) => {
      // Where it may still tell what is to be hidden in it, nothing is cut before its end.
      if (means.onSecret === undefined) addLine(report, stream, text, means);
      else if (held.length < mostPieces) held.push({ stream, text, at: Date.now() });
    });
    child[stream]?.on('data', (chunk: Buffer) => count(chunk) && output.read(chunk));
    return output;
  });
  const told = child.stdio[3] as Readable | null | undefined;
  const read = lineReader(mostLine, (line) => readReportLine(report, line, means), onFlood);
  told?.setEncoding('utf8');
  told?.on('data', (chunk: string) => {
    if (count(Buffer.from(chunk))) read(chunk);
  });
  told?.on('error', () => undefined);
  // That of a process that waited was read before, and stopped.
  told?.resume();
  return () => {
    for (const output of outputs) output.end();
    for (const { stream, text, at } of held) addLine(report, stream, text, means, at);
  };
}

/**
 * V8 ends its process by itself where the heap is full: that of the script, or one in which the runner had its tests, which tells
 * then. A script whose process came to its end may have printed the same words.
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
  const { errors, steps, openStep, flaky, log, testsMs, tests, failedTests, pageLines, left } = report;
  const pageVitals = [...report.pageVitals].map(([url, vitals]) => ({ url, vitals }));
  const told = {
    testsMs,
    tests,
    failedTests,
    errors,
    steps,
    openStep,
    flaky,
    log,
    pageLines,
    pageVitals,
    left,
    assets: [],
    leftOut: [],
  };
  return { ending, problem, startedAt, stoppedAt: Date.now(), ...told };
}
