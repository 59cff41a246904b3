// Processes of scripts that are begun before there is a script for them: what loads slowly is loaded by then (docs/decisions/0082).
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
  lookAt,
  makePlace,
  type ProcessMeans,
  type ScriptProcess,
  type ScriptShape,
} from './script-process.ts';
import { watchUse } from './watch-use.ts';

/** Processes that wait for their script; each is for one run, and has seen no other. */
export interface WarmScripts {
  /** One that waits for such a script; null = there is none, or it would not do. */
  take(work: ScriptWork, means: ProcessMeans): ScriptProcess | null;
  /** Has one begun for the next script of that shape. Never rejects. */
  prepare(shape: ScriptShape, means: ProcessMeans): Promise<void>;
  /** Ends those that wait, and begins none any more. */
  close(): Promise<void>;
}

/** How long one waits, ms: longer than most checks with a browser do. */
const longestWaitMs = 20 * 60_000;
/** How long one may take to load what it needs, ms: on a busy machine it comes last. */
const longestLoadMs = 60_000;
/** After so long without being taken one gives way to what another shape asks for, ms. At once, two shapes in turn would each put out the other's. */
const usualStayMs = 5 * 60_000;
/** What `debug` looks for among all variables. */
const ofDebug = /^debug_/i;
/** Of a file by that name in its folder Node.js remembers whether it is there from the moment at which it begins. */
const foundAtBegin = 'package.json';

interface Waiting {
  readonly key: Key;
  readonly process: ScriptProcess;
  /** Names of variables that were read while there were none. */
  readonly read: ReadonlySet<string>;
  /** Of `performance.now()`. */
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * @param most that wait at once; 0 = none is ever begun
 * @param stayMs how long one stays before it gives way to another shape
 */
export function createWarmScripts(most: number, stayMs = usualStayMs): WarmScripts {
  const waiting = new Set<Waiting>();
  /** What is being begun or ended. */
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  let beginning = 0;
  const follow = (work: Promise<void>): Promise<void> => {
    // Nobody waits for it but the end of all: what cannot be made or removed costs the next script time, and nothing else.
    const followed = work.catch(() => undefined).then(() => void underWay.delete(followed));
    underWay.add(followed);
    return followed;
  };
  const leave = (one: Waiting): boolean => {
    clearTimeout(one.timer);
    return waiting.delete(one);
  };
  // Whoever took it sees to its end.
  const end = async (one: Waiting): Promise<void> => (leave(one) ? endWithFolder(one.process) : undefined);
  const begin = async (key: Key, shape: ScriptShape, means: ProcessMeans): Promise<void> => {
    const process = await beginWithout(shape, means);
    const read = await loading(process, shape, closing.signal);
    if (read === null) return endWithFolder(process);
    const timer = setTimeout(() => void follow(end(one)), longestWaitMs).unref();
    const one: Waiting = { key, process, read, since: performance.now(), timer };
    waiting.add(one);
    void process.closed.then(() => follow(end(one)));
    return undefined;
  };
  return {
    take(work, means) {
      if (waiting.size === 0 || work.files.some(({ path }) => path === foundAtBegin)) return null;
      const key = keyOf(work, means);
      const names = Object.keys(work.environment);
      const fits = (one: Waiting): boolean =>
        isSame(one.key, key) && !names.some((name) => one.read.has(name) || ofDebug.test(name));
      const one = [...waiting].find(fits);
      if (one === undefined) return null;
      leave(one);
      return one.process;
    },
    async prepare(shape, means) {
      if (most === 0 || closing.signal.aborted || !isWorthWhile(shape, means)) return;
      const key = keyOf(shape, means);
      if (waiting.size + beginning >= most) {
        const isOver = ({ key: other, since }: Waiting): boolean =>
          !isSame(other, key) && (other.shape === key.shape || performance.now() - since >= stayMs);
        const other = [...waiting].find(isOver);
        if (other === undefined) return;
        void follow(end(other));
      }
      beginning++;
      await follow(begin(key, shape, means));
      beginning--;
    },
    async close() {
      closing.abort();
      for (const one of waiting) void follow(end(one));
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/**
 * Whether so much is loaded for a script that it is worth while: Playwright's runner, or what drives a browser. Only where nobody
 * else sees its files: they are put where a process of the script's own user stands already.
 */
function isWorthWhile({ sort, browser }: ScriptShape, { containment }: ProcessMeans): boolean {
  return hasGateway(containment) && (sort === 'spec' || (sort === 'plain' && browser !== null));
}

async function beginWithout(shape: ScriptShape, means: ProcessMeans): Promise<ScriptProcess> {
  const place = await makePlace(shape, means);
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
 * Until it waits for its order; put behind everything else meanwhile, as it is when it runs. Answers with the names of the variables that
 * were read; with null when it has ended, or was not there in time.
 */
async function loading(
  process: ScriptProcess,
  { limits }: ScriptShape,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | null> {
  const { child, closed, place } = process;
  const told = child.stdio[3] as Readable;
  const ended = new AbortController();
  const watch = watchUse(child, lookAt(process), place.folder.home, limits, () => ended.abort());
  const timer = setTimeout(() => ended.abort(), longestLoadMs);
  void closed.then(() => ended.abort());
  const lines = createInterface({ input: told });
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

/** What a process was made for. */
interface Key {
  readonly shape: string;
  /** The files that it has open, which are others once they were installed anew. */
  readonly state: string;
}

function keyOf({ runtime, sort, browser, limits }: ScriptShape, { containment }: ProcessMeans): Key {
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
