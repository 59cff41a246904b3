// Parses untrusted text as a script in a separate process, because it may be built to break the parser.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ScriptFault, ScriptFile, ScriptReading, ScriptWork } from '#domain/checks/script.ts';
import { insideFolder } from './inside-folder.ts';
import { createRecent } from '#lib/recent.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';

export interface ReadableScript extends Pick<ScriptWork, 'sort'> {
  readonly path: string;
  readonly content: string;
  /** Files that it may import. */
  readonly files?: readonly ScriptFile[];
}

/** Parses scripts for accounts. */
export interface ScriptReader {
  /**
   * Returns the first error that prevents a text from being a module, without types, or null. The message is that of
   * Node.js. Text that takes too much time or memory is an error, too.
   */
  readonly scriptFault: (accountId: string, content: string) => Promise<ScriptReading>;
  /**
   * Returns the first error of a script or of the files that it imports that prevents it from starting, as found by the Node.js or test runner of its
   * runtime. Null if there is none for certain: valid scripts are never rejected.
   */
  readonly programFault: (
    accountId: string,
    script: ReadableScript,
    runtime: ScriptWork['runtime'],
  ) => Promise<ScriptReading>;
}

export interface ReaderBounds {
  /** Concurrent processes of all accounts. Each uses a full CPU; the last one is for another account. */
  readonly atOnce: number;
  /** Maximum wait for a process. Including parsing, no longer than a client waits for a response. */
  readonly waitMs: number;
  /** Memory for cached results. */
  readonly rememberedBytes: number;
}

const usual: ReaderBounds = { atOnce: 3, waitMs: 20_000, rememberedBytes: 2 << 20 };
/** Approximate overhead of a cached result. */
const bytesPerVerdict = 200;
/** Longer than any allowed text takes. */
const maxMs = 10_000;

/**
 * Creates a script reader (docs/decisions/0080). Results are cached by account, script type, path, text and installed
 * runtime. Accounts share the processes fairly.
 */
export function createScriptReader(bounds: Partial<ReaderBounds> = {}): ScriptReader {
  const { atOnce, waitMs, rememberedBytes } = { ...usual, ...bounds };
  const lanes = createSharedLanes(atOnce, 1);
  const recent = createRecent<Read>({
    max: rememberedBytes,
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
      // Another call may have parsed the same text meanwhile.
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
      const found = await readOnce(accountId, { sort: 'hook', path: 'script.mts', content }, runtime);
      if (found === 'no room') return found;
      if (found.fault !== undefined) return found.fault;
      return { message: found.isLate ? 'parsing takes too long' : 'it is too large or nested too deeply' };
    },
    async programFault(accountId, script, runtime) {
      const found = await readOnce(accountId, script, runtime);
      return found === 'no room' ? found : (found.fault ?? null);
    },
  };
}

/** Per account, so that response times reveal nothing about other accounts. */
function keyOf(accountId: string, { sort, path, content, files }: ReadableScript, state: string): string {
  return createHash('sha256')
    .update(JSON.stringify([accountId, state, sort, path, content, files]))
    .digest('base64');
}

/** Changes when a runtime is reinstalled: its Node.js, packages and lock file. */
function stateOf({ folder, nodeBinary }: ScriptWork['runtime']): string {
  const packages = join(folder, 'node_modules');
  const facts = [nodeBinary, packages, join(packages, '.package-lock.json')].map((path) => seen(() => factsOf(path)));
  const stamp = seen(() => readFileSync(join(packages, '.tocsin-installed'), 'utf8'));
  return JSON.stringify([folder, nodeBinary, facts, stamp]);
}

/** Changes when a file or folder is replaced or written. */
function factsOf(path: string): readonly number[] {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
  return [dev, ino, size, mtimeMs, ctimeMs];
}

/** Returns null if the file cannot be read. */
function seen<Fact>(inspect: () => Fact): Fact | null {
  try {
    return inspect();
  } catch {
    return null;
  }
}

interface Read {
  /** Absent = it could not be parsed. */
  readonly fault?: ScriptFault | null;
  readonly isLate: boolean;
  /** Whether parsing completed, so that the result can be cached. */
  readonly isCertain: boolean;
}

const flags = ['--max-old-space-size=256', '--experimental-vm-modules', '--expose-internals', '--no-warnings'];

async function read(script: ReadableScript, { folder, nodeBinary }: ScriptWork['runtime']): Promise<Read> {
  const reader = join(insideFolder, 'read.mjs');
  const child = started(nodeBinary, reader);
  if (child === null) return { fault: null, isLate: false, isCertain: false };
  // A process that did not start has no result.
  const ended = new Promise<'read' | 'broken' | 'not begun'>((resolve) => {
    child.once('error', () => resolve('not begun'));
    child.once('close', (code) => resolve(code === 0 ? 'read' : 'broken'));
  });
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, maxMs);
  // The process may end before it has read everything.
  child.stdin.on('error', () => undefined).end(JSON.stringify({ ...script, runtime: folder }));
  const [how, reported] = await Promise.all([ended, text(child.stdout).catch(() => '')]);
  clearTimeout(late);
  if (how === 'broken') return { isLate, isCertain: false };
  const isCertain = how === 'read' && reported !== '';
  return { fault: isCertain ? (JSON.parse(reported) as ScriptFault | null) : null, isLate, isCertain };
}

/** Returns null if the system has no process or file descriptor left. */
function started(nodeBinary: string, reader: string): ChildProcessByStdio<Writable, Readable, null> | null {
  try {
    const child = spawn(nodeBinary, [...flags, reader], { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
    child.once('error', () => undefined);
    // Without a process there are no pipes, contrary to the types.
    return (child.stdin as Writable | undefined) === undefined ? null : child;
  } catch {
    return null;
  }
}
