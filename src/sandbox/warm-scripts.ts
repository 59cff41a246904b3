// Warm processes: started before their script is known, so that slow libraries are already loaded
// (docs/decisions/0082).
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { ScriptWork } from '#domain/checks/script.ts';
import { hasGateway } from './containment/containment.ts';
import {
  beginProcess,
  endProcess,
  inspect,
  makePlace,
  type ProcessDeps,
  type ScriptProcess,
  type ScriptShape,
} from './script-process.ts';
import { watchUse } from './watch-use.ts';

/** Waiting processes. Each runs one script only. */
export interface WarmScripts {
  /** Takes a process that fits the script, or returns null. */
  take(work: ScriptWork, deps: ProcessDeps): ScriptProcess | null;
  /** Starts a process for the next script of that shape. Never rejects. */
  prepare(shape: ScriptShape, deps: ProcessDeps): Promise<void>;
  /** Ends waiting processes and starts no more. */
  close(): Promise<void>;
}

/** Maximum wait of a process; longer than the interval of most browser checks. */
const longestWaitMs = 20 * 60_000;
/** Maximum loading time, because it has a low priority on a busy machine. */
const longestLoadMs = 60_000;
/**
 * Unused time after which a process is replaced by one of another shape. Replacing it at once would make two
 * alternating shapes evict each other.
 */
const usualStayMs = 5 * 60_000;
/** Variables that `debug` enumerates. */
const ofDebug = /^debug_/i;
/** Node.js caches at start whether this file exists in its folder. */
const foundAtBegin = 'package.json';

interface Waiting {
  readonly key: Key;
  readonly process: ScriptProcess;
  /** Variables read before the environment was set. */
  readonly read: ReadonlySet<string>;
  /** From `performance.now()`. */
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}

/**
 *
 * @param max maximum waiting processes; 0 disables them
 * @param stayMs minimum time before replacement by another shape
 */
export function createWarmScripts(max: number, stayMs = usualStayMs): WarmScripts {
  const waiting = new Set<Waiting>();
  /** Starting or ending processes. */
  const inProgress = new Set<Promise<void>>();
  const closing = new AbortController();
  let beginning = 0;
  const follow = (work: Promise<void>): Promise<void> => {
    // Only `close` waits for it. A failure merely costs the next script time.
    const followed = work.catch(() => undefined).then(() => void inProgress.delete(followed));
    inProgress.add(followed);
    return followed;
  };
  const leave = (one: Waiting): boolean => {
    clearTimeout(one.timer);
    return waiting.delete(one);
  };
  // A process that was taken is ended by its run.
  const end = async (one: Waiting): Promise<void> => (leave(one) ? endWithFolder(one.process) : undefined);
  const begin = async (key: Key, shape: ScriptShape, deps: ProcessDeps): Promise<void> => {
    const process = await beginWithout(shape, deps);
    const read = await loading(process, shape, closing.signal);
    if (read === null) return endWithFolder(process);
    const timer = setTimeout(() => void follow(end(one)), longestWaitMs).unref();
    const one: Waiting = { key, process, read, since: performance.now(), timer };
    waiting.add(one);
    void process.closed.then(() => follow(end(one)));
    return undefined;
  };
  return {
    take(work, deps) {
      if (waiting.size === 0 || work.files.some(({ path }) => path === foundAtBegin)) return null;
      const key = keyOf(work, deps);
      const names = Object.keys(work.environment);
      const fits = (one: Waiting): boolean =>
        isSame(one.key, key) && !names.some((name) => one.read.has(name) || ofDebug.test(name));
      const one = [...waiting].find(fits);
      if (one === undefined) return null;
      leave(one);
      return one.process;
    },
    async prepare(shape, deps) {
      if (max === 0 || closing.signal.aborted || !isWorthWhile(shape, deps)) return;
      const key = keyOf(shape, deps);
      if (waiting.size + beginning >= max) {
        const isOver = ({ key: other, since }: Waiting): boolean =>
          !isSame(other, key) && (other.shape === key.shape || performance.now() - since >= stayMs);
        const other = [...waiting].find(isOver);
        if (other === undefined) return;
        void follow(end(other));
      }
      beginning++;
      await follow(begin(key, shape, deps));
      beginning--;
    },
    async close() {
      closing.abort();
      for (const one of waiting) void follow(end(one));
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}

/**
 * Whether enough is loaded in advance: Playwright's runner or browser libraries. Requires a file system of its own,
 * because files are written where a process already runs.
 */
function isWorthWhile({ sort, browser }: ScriptShape, { containment }: ProcessDeps): boolean {
  return hasGateway(containment) && (sort === 'spec' || (sort === 'plain' && browser !== null));
}

async function beginWithout(shape: ScriptShape, deps: ProcessDeps): Promise<ScriptProcess> {
  const place = await makePlace(shape, deps);
  try {
    await place.folder.show();
    return beginProcess(shape, place, null);
  } catch (error) {
    await place.folder.remove();
    throw error;
  }
}

async function endWithFolder(process: ScriptProcess): Promise<void> {
  endProcess(process);
  await process.closed;
  await process.place.folder.remove();
}

/**
 * Waits until the process is ready, at low priority. Returns the variables it read, or null if it ended or took too
 * long.
 */
async function loading(
  process: ScriptProcess,
  { limits }: ScriptShape,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | null> {
  const { child, closed, place } = process;
  const reported = child.stdio[3] as Readable;
  const ended = new AbortController();
  const watch = watchUse(child, inspect(process), place.folder.home, limits, () => ended.abort());
  const timer = setTimeout(() => ended.abort(), longestLoadMs);
  void closed.then(() => ended.abort());
  const lines = createInterface({ input: reported });
  try {
    const [line] = (await once(lines, 'line', { signal: AbortSignal.any([ended.signal, signal]) })) as [string];
    const { read } = JSON.parse(line) as { readonly read: readonly string[] };
    return new Set(read);
  } catch {
    return null;
  } finally {
    lines.close();
    clearTimeout(timer);
    watch.stop();
  }
}

/** What a process was created for. */
interface Key {
  readonly shape: string;
  /** State of its open files, which changes on reinstallation. */
  readonly state: string;
}

function keyOf({ runtime, sort, browser, limits }: ScriptShape, { containment }: ProcessDeps): Key {
  const { folder, nodeBinary } = runtime;
  const { memoryBytes, diskBytes } = limits;
  const program = browser === null ? [] : [join(browser.folder, browser.program)];
  const files = [join(folder, 'node_modules', '.package-lock.json'), nodeBinary, ...program].map(factsOf);
  return {
    shape: JSON.stringify([folder, sort, browser, memoryBytes, diskBytes]),
    state: JSON.stringify([files, containment]),
  };
}

function isSame(one: Key, other: Key): boolean {
  return one.shape === other.shape && one.state === other.state;
}

function factsOf(path: string): object {
  try {
    const { ino, mtimeMs } = statSync(path);
    return { path, ino, mtimeMs };
  } catch {
    return { path };
  }
}
