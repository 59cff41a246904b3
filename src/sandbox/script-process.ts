// The process of a script: started in its own folder and containment, then given its order.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ScriptBrowser, ScriptWork } from '#domain/checks/script.ts';
import { type Contained, contained, type Containment, hasOtherUser, nobody } from './containment/containment.ts';
import { treeUse, type TreeUse } from './containment/process-tree.ts';
import { caFile, makeRunFolder, type RunFolder } from './run-folder.ts';
import { runProcesses } from './run-processes.ts';
import type { TrustedCas } from './trusted-cas.ts';

/** The part of a run that a process depends on. It is known before the script. */
export type ScriptShape = Pick<ScriptWork, 'runtime' | 'sort' | 'browser' | 'limits'>;

/** Dependencies for starting script processes. */
export interface ProcessDeps {
  readonly containment: Containment;
  /** null or absent = only the default CAs. */
  readonly trustedCas?: TrustedCas | null;
  /** Whether Tocsin runs as root, so that scripts run as nobody. */
  readonly isRoot: boolean;
}

export interface ScriptPlace {
  readonly folder: RunFolder;
  readonly command: Contained;
  /** Owner of the script's files; null = the current user. */
  readonly owner: number | null;
}

export interface ScriptProcess {
  readonly place: ScriptPlace;
  readonly child: ChildProcess;
  /** Resolves when it has ended. */
  readonly closed: Promise<Closed>;
}

export interface Closed {
  readonly code: string;
  /** Why it did not start, or null. */
  readonly why: string | null;
  /** Whether it was killed from outside: the machine is out of memory or shutting down. */
  readonly isForeign: boolean;
}

/** @throws {Error} if its folder cannot be created */
export async function makePlace(shape: ScriptShape, deps: ProcessDeps): Promise<ScriptPlace> {
  const { containment, isRoot, trustedCas = null } = deps;
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

/** Environment of the wrappers. The script's own environment is passed by stdin, where no other process can read it. */
const wrapperEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };

/**
 * Starts a process and gives it its role.
 *
 * @param order the work; null = sent later with `giveOrder`
 */
export function beginProcess(shape: ScriptShape, place: ScriptPlace, order: object | null): ScriptProcess {
  const { command, folder } = place;
  const { network, packages } = command;
  const certificates = folder.hasCertificates ? join(command.gateway, caFile) : null;
  const child = spawn(command.command, command.words, {
    cwd: folder.home,
    // Read when Node.js starts.
    env: { ...wrapperEnvironment, ...(certificates !== null && { NODE_EXTRA_CA_CERTS: certificates }) },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    ...(command.user === null ? {} : { uid: command.user, gid: command.group ?? command.user }),
  });
  const closed = closing(child);
  // stdin is missing if the process could not be started.
  child.stdin?.on('error', () => undefined);
  const reported = { sort: shape.sort, browser: browserOf(shape.browser, command), network, packages, certificates };
  report(child, order === null ? reported : { ...reported, order });
  if (order !== null) child.stdin?.end();
  return { place, child, closed };
}

/** Gives a waiting process its order. */
export function giveOrder({ child }: ScriptProcess, order: object): void {
  report(child, order);
  child.stdin?.end();
}

export function endProcess({ child }: ScriptProcess): void {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

function report(child: ChildProcess, words: object): void {
  child.stdin?.write(`${JSON.stringify(words)}\n`);
}

/** Location of the browser inside. */
function browserOf(browser: ScriptBrowser | null, { browser: folder }: Contained): object | null {
  if (browser === null || folder === null) return null;
  const { program, libraries } = browser;
  const libraryPath = libraries === null ? null : join(folder, libraries);
  return { executablePath: join(folder, program), libraryPath };
}

/**
 * Returns how to find the processes of a run. In its own process namespace, all descend from the first one, which
 * adopts orphans.
 */
export function inspect({ child: { pid }, place: { folder, command } }: ScriptProcess): () => TreeUse {
  if (pid === undefined) return () => ({ processes: [], memoryBytes: 0 });
  return command.hasOwnNumbers ? () => treeUse(pid) : runProcesses(pid, { home: folder.home, group: command.group });
}

/** Signals that only come from outside, and their exit codes in a shell. */
const foreignSignals = new Set(['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT']);
const foreignCodes = new Set([9, 15, 1, 2, 3].map((number) => 128 + number));

function closing(child: ChildProcess): Promise<Closed> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 'nothing', why: error.message, isForeign: true }));
    // Its children may keep the output open, so only its exit counts.
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
