// Processes of scripts that are begun before there is a script for them: what loads slowly is loaded by then (docs/decisions/0111).
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ScriptWork } from '#domain/script.ts';
import { hasGateway } from './containment.ts';
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
/**
 * Whether so much is loaded for a script that it is worth while: Playwright's runner, or what drives a browser. Only where nobody
 * else sees its files: they are put where a process of the script's own user stands already.
 */
function isWorthWhile({ sort, browser }: ScriptShape, { containment }: ProcessMeans): boolean {
  return hasGateway(containment) && (sort === 'spec' || (sort === 'plain' && browser !== null));
}

/** How long one may take to load what it needs, ms: on a busy machine it comes last. */
const longestLoadMs = 60_000;

/** What `debug` looks for among all variables. */
const ofDebug = /^debug_/i;

interface Waiting {
  readonly key: string;
  readonly process: ScriptProcess;
  /** Names of variables that were read while there were none. */
  readonly read: ReadonlySet<string>;
  readonly timer: NodeJS.Timeout;
}

/** @param most that wait at once; 0 = none is ever begun */
export function createWarmScripts(most: number): WarmScripts {
  const waiting = new Set<Waiting>();
  const beginning = new Set<Promise<void>>();
  const closing = new AbortController();
  const end = async (one: Waiting): Promise<void> => {
    // Whoever took it sees to its end.
    if (!waiting.delete(one)) return;
    clearTimeout(one.timer);
    await endWithFolder(one.process);
  };
  const begin = async (key: string, shape: ScriptShape, means: ProcessMeans): Promise<void> => {
    const process = await beginWithout(shape, means);
    const read = await loading(process, shape, closing.signal);
    if (read === null) return endWithFolder(process);
    const timer = setTimeout(() => void end(one), longestWaitMs).unref();
    const one: Waiting = { key, process, read, timer };
    waiting.add(one);
    void process.closed.then(() => end(one));
  };
  return {
    take(work, means) {
      const key = waiting.size === 0 ? null : keyOf(work, means);
      const names = Object.keys(work.environment);
      const fits = (one: Waiting): boolean =>
        one.key === key && !names.some((name) => one.read.has(name) || ofDebug.test(name));
      const one = [...waiting].find(fits);
      if (one === undefined) return null;
      waiting.delete(one);
      clearTimeout(one.timer);
      return one.process;
    },
    async prepare(shape, means) {
      if (most === 0 || closing.signal.aborted || !isWorthWhile(shape, means)) return;
      const key = keyOf(shape, means);
      if (waiting.size + beginning.size >= most) {
        // Of what is not asked for any more, as a runtime that was left.
        const other = [...waiting].find((each) => each.key !== key);
        if (other === undefined) return;
        void end(other);
      }
      const begun = begin(key, shape, means).catch(() => undefined);
      beginning.add(begun);
      await begun;
      beginning.delete(begun);
    },
    async close() {
      closing.abort();
      await Promise.all(beginning);
      await Promise.all([...waiting].map(end));
    },
  };
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
  // What nobody reads would keep it from being closed.
  for (const stream of process.child.stdio) if (stream instanceof Readable) stream.resume();
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

/** What a process was made for; with the files that it has open, which are others once they were installed anew. */
function keyOf({ runtime, sort, browser, limits }: ScriptShape, { containment, code = null }: ProcessMeans): string {
  const { folder, nodeBinary } = runtime;
  const { memoryBytes, diskBytes } = limits;
  const program = browser === null ? [] : [join(browser.folder, browser.program)];
  const files = [join(folder, 'node_modules', '.package-lock.json'), nodeBinary, ...program].map((path) => {
    const facts = statSync(path, { throwIfNoEntry: false });
    return [path, facts?.ino, facts?.mtimeMs];
  });
  return JSON.stringify([folder, files, sort, browser, memoryBytes, diskBytes, containment, code]);
}
