// Runs a script in a process of its own: contained, watched, ended with all it started, and nothing of it left behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ScriptOutcome, ScriptWork } from '#domain/script.ts';
import { type Contained, contained, type Containment, hasGateway, hasOtherUser, nobody } from './containment.ts';
import { lineReader, outputReader } from './lines.ts';
import { treeUse, type TreeUse } from './process-tree.ts';
import { addLine, emptyReport, readReportLine, type Report, type ReportMeans } from './report.ts';
import { makeRunFolder, type RunFolder } from './run-folder.ts';
import { runProcesses } from './run-processes.ts';
import { takeAssets } from './take-assets.ts';
import { watchUse } from './watch-use.ts';

/**
 * Listens at `path` for what a script wants to connect to, for the user `owner` alone (null = ours). Answers with how to end it,
 * and rejects with a sentence.
 */
export type OpenGateway = (path: string, owner: number | null) => Promise<() => void>;

/** Compiled code of the runtime's packages. */
export interface ScriptCode {
  readonly folder: string;
  /** For a script of ours alone: whoever writes there decides what others run. */
  readonly isWritable: boolean;
}

/** How scripts are run here. */
export interface ScriptMeans {
  readonly containment: Containment;
  readonly openGateway: OpenGateway;
  /** null or absent = none; only where files of a script are apart from all others (`hasGateway`). */
  readonly code?: ScriptCode | null;
  /** Whether this process may be anybody: scripts then run as nobody. */
  readonly isRoot: boolean;
}

/** Runs it once; the signal ends it. Never rejects. */
export async function runScript(work: ScriptWork, signal: AbortSignal, means: ScriptMeans): Promise<ScriptOutcome> {
  const { containment, isRoot, code = null } = means;
  const startedAt = Date.now();
  const owner = hasOtherUser(isRoot, containment) ? nobody : null;
  let folder: RunFolder | null = null;
  let closeGateway: (() => void) | null = null;
  try {
    folder = await makeRunFolder(owner);
    if (hasGateway(containment)) closeGateway = await openGatewayIn(folder.gateway, owner, means);
    const { runtime, browser } = work;
    const folders = {
      ...folder,
      runtime: runtime.folder,
      nodeBinary: runtime.nodeBinary,
      browser: browser?.folder ?? null,
      code,
    };
    const command = contained(containment, folders, work.limits, isRoot);
    await folder.fill(work.files, command.packages);
    const report = emptyReport();
    if (signal.aborted) return outcomeOf(report, 'stopped', startedAt, null);
    const outcome = await runCommand({ work, command, home: folder.home, startedAt, signal, report });
    const { ending, failedTests, errors } = outcome;
    if (ending === 'stopped' || ending === 'crashed') return outcome;
    const hasFailed = ending !== 'ended' || failedTests > 0 || errors.length > 0;
    const whose = owner ?? process.getuid?.() ?? 0;
    return { ...outcome, ...(await takeAssets(folder.home, wantedOf(report, work), { owner: whose, hasFailed })) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return outcomeOf(emptyReport(), 'crashed', startedAt, `the script could not be started: ${why}`);
  } finally {
    closeGateway?.();
    await folder?.remove();
  }
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
  throw new Error(`${path} is too long for the name of a socket: right would be a TMPDIR of 60 characters or less`);
}

interface Run {
  readonly work: ScriptWork;
  readonly command: Contained;
  /** The script's folder by the name we have for it. */
  readonly home: string;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly report: Report;
}

type Ending = ScriptOutcome['ending'];

/** What node leaves the wrappers with; the script's own environment comes by stdin, where no other process reads it. */
const wrapperEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };

async function runCommand({ work, command, home, startedAt, signal, report }: Run): Promise<ScriptOutcome> {
  const { limits } = work;
  const child = spawn(command.command, command.words, {
    cwd: home,
    env: wrapperEnvironment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    ...(command.user === null ? {} : { uid: command.user, gid: command.group ?? command.user }),
  });
  let ending: Ending | null = null;
  const watch = watchUse(child, lookAt(child.pid, home, command), home, limits, (passed) => end(passed));
  const end = (why: Ending): void => {
    ending ??= why;
    watch.killAll();
  };
  const timer = setTimeout(() => end('timeout'), limits.wallClockMs);
  const onAbort = (): void => end('stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const closed = closing(child);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify(orderOf(work, command)));
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

/** Where it has numbers of processes of its own all descend from the first one: whoever loses its parent gets another there. */
function lookAt(pid: number | undefined, home: string, { hasOwnNumbers, group }: Contained): () => TreeUse {
  if (pid === undefined) return () => ({ processes: [], memoryBytes: 0 });
  return hasOwnNumbers ? () => treeUse(pid) : runProcesses(pid, { home, group });
}

/** What came of a script that no limit ended: that it left no report is its own fault where it did that itself. */
function endedOutcome(report: Report, { code, why, isForeign }: Closed, startedAt: number): ScriptOutcome {
  if (report.isEnded) return outcomeOf(report, 'ended', startedAt, null);
  if (report.hasBegun && isForeign)
    return outcomeOf(report, 'crashed', startedAt, `the script's process was ended from outside (${code})`);
  if (report.hasBegun) {
    report.failedTests++;
    report.errors.push({ message: `its process ended with ${code}`, place: null });
    return outcomeOf(report, 'ended', startedAt, null);
  }
  const last = report.log.findLast(({ stream }) => stream === 'stderr');
  const said = last?.text.trim().slice(-500) ?? '';
  const problem = why ?? `its process ended with ${code}${said === '' ? '' : `: ${said}`}`;
  return outcomeOf(report, 'crashed', startedAt, problem);
}

/** Before the limit of the whole run tests that hang are ended by their runner, which then says where, and shows it, ms. */
const showMs = 15_000;
/** So long before it what a program's browser has to show is kept, ms: it may still end by itself. */
const programShowMs = 10_000;

/** What the first code of the process is told. */
function orderOf(work: ScriptWork, command: Contained): object {
  const { environment, sort, entry, around = null, hidden, keeps, limits } = work;
  const { network, code } = command;
  const { wallClockMs } = limits;
  const testMs = wallClockMs - Math.min(showMs, wallClockMs / 2);
  const showAtMs = wallClockMs - Math.min(programShowMs, wallClockMs / 2);
  const told = { environment, sort, entry, around, hidden, keeps, wallClockMs, testMs, showAtMs, network, code };
  return { ...told, browser: browserOf(work, command) };
}

/** Where the browser is for the script. */
function browserOf({ browser }: ScriptWork, { browser: folder }: Contained): object | null {
  if (browser === null || folder === null) return null;
  const { program, libraries } = browser;
  const libraryPath = libraries === null ? null : join(folder, libraries);
  return { executablePath: join(folder, program), libraryPath };
}

/** Signals that come from outside only, and what a shell around the process makes of them. */
const foreignSignals = new Set(['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT']);
const foreignCodes = new Set([9, 15, 1, 2, 3].map((number) => 128 + number));

/** How a process ended. */
interface Closed {
  readonly code: string;
  /** Why it did not begin; null = it did. */
  readonly why: string | null;
  /** By a signal that it did not cause itself: the machine's memory ran out, or it is being shut down. */
  readonly isForeign: boolean;
}

function closing(child: ChildProcess): Promise<Closed> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 'nothing', why: error.message, isForeign: true }));
    // What it started may hold its output open: the end of the process is the end.
    child.once('exit', (code, signal) => {
      const isForeign = signal === null ? foreignCodes.has(code ?? 0) : foreignSignals.has(signal);
      const done = (): void => resolve({ code: signal ?? `code ${code}`, why: null, isForeign });
      const late = setTimeout(done, 1000);
      child.once('close', () => {
        clearTimeout(late);
        done();
      });
    });
  });
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
