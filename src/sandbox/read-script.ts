// Reads a text as a script without running it: in a process of its own, because foreign text may be made to break what reads it.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ScriptFault, ScriptReading, ScriptWork } from '#domain/checks/script.ts';
import { insideFolder } from './inside-folder.ts';
import { createRecent } from '#lib/recent.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';

/** A script as its check has it. */
export interface ReadableScript extends Pick<ScriptWork, 'sort'> {
  readonly path: string;
  readonly content: string;
}

/** Reads scripts for accounts. */
export interface ScriptReader {
  /**
   * What keeps a text from being a module, types taken out, the first of it; null = nothing. The same words that Node.js would
   * say later. What cannot be read with little time or memory is none either.
   */
  readonly scriptFault: (accountId: string, content: string) => Promise<ScriptReading>;
  /**
   * What keeps a script from beginning in its runtime, the first of it: as the Node.js there would read it, or for tests the
   * runner there. null = nothing, or nothing for certain: what runs is never refused.
   */
  readonly programFault: (
    accountId: string,
    script: ReadableScript,
    runtime: ScriptWork['runtime'],
  ) => Promise<ScriptReading>;
}

/** What readers may take. */
export interface ReaderBounds {
  /** Processes at once, of all accounts together, each of which takes all of a processor; the last is for another account. */
  readonly atOnce: number;
  /** How long a script waits for one of them, ms: with the time to read it no longer than a client waits for an answer. */
  readonly waitMs: number;
  /** Of verdicts that are remembered. */
  readonly rememberedBytes: number;
}

const usual: ReaderBounds = { atOnce: 3, waitMs: 20_000, rememberedBytes: 2 << 20 };
/** A verdict with its key and its place in memory, roughly. */
const bytesPerVerdict = 200;
/** Longer than any text of a permitted size takes, ms. */
const mostMs = 10_000;

/**
 * Makes what reads scripts (docs/decisions/0080). What was found of a text is remembered for its account, sort, path and runtime as
 * it is installed; accounts take turns with the processes (docs/decisions/0080).
 */
export function createScriptReader(bounds: Partial<ReaderBounds> = {}): ScriptReader {
  const { atOnce, waitMs, rememberedBytes } = { ...usual, ...bounds };
  const lanes = createSharedLanes(atOnce, 1);
  const recent = createRecent<Read>({
    most: rememberedBytes,
    sizeOf: ({ fault }) => bytesPerVerdict + 2 * (fault?.message.length ?? 0),
  });
  const readOnce = async (
    accountId: string,
    script: ReadableScript,
    runtime: ScriptWork['runtime'],
  ): Promise<Read | 'no room'> => {
    const key = keyOf(accountId, script, stateOf(runtime));
    const known = recent.get(key);
    if (known !== undefined) return known;
    const leave = await lanes.enter(accountId, AbortSignal.timeout(waitMs));
    if (leave === null) return 'no room';
    try {
      // The same may have been read while this one waited.
      const meanwhile = recent.get(key);
      if (meanwhile !== undefined) return meanwhile;
      const found = await read(script, runtime);
      if (found.isCertain) recent.set(key, found);
      return found;
    } finally {
      leave();
    }
  };
  return {
    async scriptFault(accountId, content) {
      const runtime = { folder: '/', nodeBinary: process.execPath };
      const found = await readOnce(accountId, { sort: 'around', path: 'script.mts', content }, runtime);
      if (found === 'no room') return found;
      if (found.fault !== undefined) return found.fault;
      return { message: found.isLate ? 'reading it takes too long' : 'it is too large or nested too deeply' };
    },
    async programFault(accountId, script, runtime) {
      const found = await readOnce(accountId, script, runtime);
      return found === 'no room' ? found : (found.fault ?? null);
    },
  };
}

/** Of an account, so that none can tell by the time that it takes what another one has saved. */
function keyOf(accountId: string, { sort, path, content }: ReadableScript, state: string): string {
  return createHash('sha256')
    .update(JSON.stringify([accountId, state, sort, path, content]))
    .digest('base64');
}

/** What tells a runtime from what it was before it was installed anew: its Node.js, its packages, and what they were made from. */
function stateOf({ folder, nodeBinary }: ScriptWork['runtime']): string {
  const packages = join(folder, 'node_modules');
  const facts = [nodeBinary, packages, join(packages, '.package-lock.json')].map((path) => seen(() => factsOf(path)));
  const stamp = seen(() => readFileSync(join(packages, '.tocsin-installed'), 'utf8'));
  return JSON.stringify([folder, nodeBinary, facts, stamp]);
}

/** What changes when a file or folder is replaced or written. */
function factsOf(path: string): readonly number[] {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
  return [dev, ino, size, mtimeMs, ctimeMs];
}

/** null where there is nothing to be seen. */
function seen<Fact>(look: () => Fact): Fact | null {
  try {
    return look();
  } catch {
    return null;
  }
}

interface Read {
  /** Absent = it could not be read. */
  readonly fault?: ScriptFault | null;
  readonly isLate: boolean;
  /** It was read to its end: the same text would be found the same. */
  readonly isCertain: boolean;
}

const flags = ['--max-old-space-size=256', '--experimental-vm-modules', '--expose-internals', '--no-warnings'];

async function read(script: ReadableScript, { folder, nodeBinary }: ScriptWork['runtime']): Promise<Read> {
  const reader = join(insideFolder, 'read.mjs');
  const child = started(nodeBinary, reader);
  if (child === null) return { fault: null, isLate: false, isCertain: false };
  // What cannot be started has found nothing.
  const ended = new Promise<'read' | 'broken' | 'not begun'>((resolve) => {
    child.once('error', () => resolve('not begun'));
    child.once('close', (code) => resolve(code === 0 ? 'read' : 'broken'));
  });
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, mostMs);
  // It may be gone before it has taken all.
  child.stdin.on('error', () => undefined).end(JSON.stringify({ ...script, runtime: folder }));
  const [how, told] = await Promise.all([ended, text(child.stdout).catch(() => '')]);
  clearTimeout(late);
  if (how === 'broken') return { isLate, isCertain: false };
  const isCertain = how === 'read' && told !== '';
  return { fault: isCertain ? (JSON.parse(told) as ScriptFault | null) : null, isLate, isCertain };
}

/** null when the system has no process or file left for it. */
function started(nodeBinary: string, reader: string): ChildProcessByStdio<Writable, Readable, null> | null {
  try {
    const child = spawn(nodeBinary, [...flags, reader], { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
    child.once('error', () => undefined);
    // Without a process there are no pipes, whatever the types say.
    return (child.stdin as Writable | undefined) === undefined ? null : child;
  } catch {
    return null;
  }
}
