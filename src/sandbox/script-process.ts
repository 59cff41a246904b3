// The process of a script, started in its own folder and containment and then given its order, and the processes of its run.
import { type ChildProcess, spawn } from 'node:child_process';
import { join, sep } from 'node:path';
import type { ScriptBrowser, ScriptWork } from '#domain/checks/script.ts';
import { type Contained, contained, type Containment, hasOtherUser, nobody } from './containment/containment.ts';
import { treeUse, type TreeUse, privatePages, pageBytes } from './containment/process-tree.ts';
import { caFile, makeRunFolder, type RunFolder } from './run-folder.ts';
import type { TrustedCas } from './trusted-cas.ts';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';

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

/** Checks after which known foreign processes are examined again, because process numbers are reused. */
const pollsPerRenewal = 10;

interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Clock ticks since boot. Together with the number it identifies a process. */
  readonly startedAt: number;
  /** A zombie, which is not a process any more. */
  readonly isDead: boolean;
}

/** Marks of a run's processes, besides parents and sessions. */
interface RunMarks {
  /** Its folder. Any process with this working directory belongs to the run. */
  readonly home: string;
  /** Group used only by this run; null = none. */
  readonly group: number | null;
}

/**
 * Finds all processes started by the session leader `pid`: by parent, session, marks, or because they were found
 * before. Without its own group, a process escapes if it changes parent, session and folder between two checks. Empty
 * without /proc.
 */
function runProcesses(pid: number, { home, group }: RunMarks): () => TreeUse {
  const first = readEntry(pid);
  const folder = realpathSync(home);
  let mine = new Map<number, Entry>(first === null ? [] : [[pid, first]]);
  let sessions = new Set([pid]);
  let others = new Set<number>();
  let polls = 0;
  return () => {
    if (first === null) return { processes: [], memoryBytes: 0 };
    if (++polls % pollsPerRenewal === 0) others = new Set();
    const pids = numbersOfProcesses();
    const seen = pids
      .filter((each) => !others.has(each))
      .map(readEntry)
      .filter((each) => each !== null);
    const found = new Map<number, Entry>();
    const isOurs = (each: Entry): boolean =>
      each.startedAt >= first.startedAt &&
      (found.has(each.parent) ||
        // Skip zombies: an orphaned one may stay forever.
        (!each.isDead &&
          (mine.get(each.pid)?.startedAt === each.startedAt ||
            sessions.has(each.session) ||
            isMarked(each.pid, folder, group))));
    // Each process may lead to others, in any order of numbers.
    let open = seen;
    for (let before = Infinity; open.length < before;) {
      before = open.length;
      open = open.filter((each) => {
        if (!isOurs(each)) return true;
        found.set(each.pid, each);
        sessions.add(each.session);
        return false;
      });
    }
    mine = found;
    sessions = new Set([...found.values()].map(({ session }) => session));
    others = new Set(open.map((each) => each.pid).concat(pids.filter((each) => others.has(each))));
    return measureUse([...found.keys()]);
  };
}

function measureUse(processes: readonly number[]): TreeUse {
  const pages = processes.map((pid) => privatePages(pid) ?? 0);
  return { processes, memoryBytes: pages.reduce((sum, each) => sum + each, 0) * pageBytes };
}

function numbersOfProcesses(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function readEntry(pid: number): Entry | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The process name may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, , session] = fields;
    const isDead = 'ZX'.includes(state);
    return { pid, parent: Number(parent), session: Number(session), startedAt: Number(fields[19]), isDead };
  } catch {
    return null;
  }
}

function isMarked(pid: number, folder: string, group: number | null): boolean {
  try {
    const place = readlinkSync(`/proc/${pid}/cwd`);
    if (place === folder || place.startsWith(folder + sep)) return true;
  } catch {
    // We may not inspect it.
  }
  return group !== null && groupOf(pid) === group;
}

/** The real group, not the effective one. */
function groupOf(pid: number): number | null {
  try {
    return Number(/^Gid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
  } catch {
    return null;
  }
}
