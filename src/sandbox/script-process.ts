// The process of a script: begun in a folder and a containment of its own, told what it is to be, and later what it is to do.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ScriptBrowser, ScriptWork } from '#domain/checks/script.ts';
import { type Contained, contained, type Containment, hasOtherUser, nobody } from './containment/containment.ts';
import { treeUse, type TreeUse } from './containment/process-tree.ts';
import { caFile, makeRunFolder, type RunFolder } from './run-folder.ts';
import { runProcesses } from './run-processes.ts';
import type { TrustedCas } from './trusted-cas.ts';

/** What of a run its process is made for: all of it stands before the script itself is known. */
export type ScriptShape = Pick<ScriptWork, 'runtime' | 'sort' | 'browser' | 'limits'>;

/** How processes of scripts are made here. */
export interface ProcessMeans {
  readonly containment: Containment;
  /** null or absent = the usual CAs alone. */
  readonly trustedCas?: TrustedCas | null;
  /** Whether this process may be anybody: scripts then run as nobody. */
  readonly isRoot: boolean;
}

/** Where a process will have its files, and what will begin it. */
export interface ScriptPlace {
  readonly folder: RunFolder;
  readonly command: Contained;
  /** The user who has the script's files; null = we do. */
  readonly owner: number | null;
}

/** A process that was begun. */
export interface ScriptProcess {
  readonly place: ScriptPlace;
  readonly child: ChildProcess;
  /** Resolves once it has ended. */
  readonly closed: Promise<Closed>;
}

/** How a process ended. */
export interface Closed {
  readonly code: string;
  /** Why it did not begin; null = it did. */
  readonly why: string | null;
  /** By a signal that it did not cause itself: the machine's memory ran out, or it is being shut down. */
  readonly isForeign: boolean;
}

/** @throws {Error} when there is no room for its folder */
export async function makePlace(shape: ScriptShape, means: ProcessMeans): Promise<ScriptPlace> {
  const { containment, isRoot, trustedCas = null } = means;
  const owner = hasOtherUser(isRoot, containment) ? nobody : null;
  const folder = await makeRunFolder(owner, trustedCas);
  const { folder: runtime, nodeBinary } = shape.runtime;
  try {
    const folders = { ...folder, runtime, nodeBinary, browser: shape.browser?.folder ?? null };
    return { folder, command: contained(containment, folders, shape.limits, isRoot), owner };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** What node leaves the wrappers with; the script's own environment comes by stdin, where no other process reads it. */
const wrapperEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };

/**
 * Begins the process of a place, and tells it what it is to be.
 *
 * @param order what it is to do; null = that will be told later, in a line of its own (`giveOrder`)
 */
export function beginProcess(shape: ScriptShape, place: ScriptPlace, order: object | null): ScriptProcess {
  const { command, folder } = place;
  const { network, packages } = command;
  const certificates = folder.hasCertificates ? join(command.gateway, caFile) : null;
  const child = spawn(command.command, command.words, {
    cwd: folder.home,
    // Read as Node.js starts.
    env: { ...wrapperEnvironment, ...(certificates !== null && { NODE_EXTRA_CA_CERTS: certificates }) },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    ...(command.user === null ? {} : { uid: command.user, gid: command.group ?? command.user }),
  });
  const closed = closing(child);
  // There is none of one that could not be begun at all.
  child.stdin?.on('error', () => undefined);
  const told = { sort: shape.sort, browser: browserOf(shape.browser, command), network, packages, certificates };
  tell(child, order === null ? told : { ...told, order });
  if (order !== null) child.stdin?.end();
  return { place, child, closed };
}

/** Tells a process that was begun without one what it is to do. */
export function giveOrder({ child }: ScriptProcess, order: object): void {
  tell(child, order);
  child.stdin?.end();
}

/** Ends it, if it runs. */
export function endProcess({ child }: ScriptProcess): void {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function tell(child: ChildProcess, words: object): void {
  child.stdin?.write(`${JSON.stringify(words)}\n`);
}

/** Where the browser is for the script. */
function browserOf(browser: ScriptBrowser | null, { browser: folder }: Contained): object | null {
  if (browser === null || folder === null) return null;
  const { program, libraries } = browser;
  const libraryPath = libraries === null ? null : join(folder, libraries);
  return { executablePath: join(folder, program), libraryPath };
}

/**
 * How what runs of a process is looked at. Where it has numbers of processes of its own all descend from the first one: whoever loses
 * its parent gets another there.
 */
export function lookAt({ child: { pid }, place: { folder, command } }: ScriptProcess): () => TreeUse {
  if (pid === undefined) return () => ({ processes: [], memoryBytes: 0 });
  return command.hasOwnNumbers ? () => treeUse(pid) : runProcesses(pid, { home: folder.home, group: command.group });
}

/** Signals that come from outside only, and what a shell around the process makes of them. */
const foreignSignals = new Set(['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT']);
const foreignCodes = new Set([9, 15, 1, 2, 3].map((number) => 128 + number));

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
