// Reads a text as a script without running it: in a process of its own, because foreign text may be made to break what reads it.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ScriptFault, ScriptWork } from '#domain/script.ts';
import { createLanes } from '#lib/lanes.ts';

/** A script as its check has it. */
export interface ReadableScript extends Pick<ScriptWork, 'sort'> {
  readonly path: string;
  readonly content: string;
}

/** Longer than any text of a permitted size takes, ms. */
const mostMs = 10_000;
/** A few at once: each takes all of a processor. */
const lanes = createLanes(2);

/**
 * What keeps a text from being a module, types taken out, the first of it; null = nothing. The same words that Node.js would
 * say later. What cannot be read in time or with little memory is none either.
 */
export async function scriptFault(content: string): Promise<ScriptFault | null> {
  const runtime = { folder: '/', nodeBinary: process.execPath };
  const { fault, isLate } = await read({ sort: 'around', path: 'script.mts', content }, runtime);
  if (fault !== undefined) return fault;
  return { message: isLate ? 'it takes too long to read' : 'it is too deep or too large to be read' };
}

/**
 * What keeps a script from beginning in its runtime, the first of it: as the Node.js there would read it, or for tests the
 * runner there. null = nothing, or nothing for certain: what runs is never refused.
 */
export async function programFault(
  script: ReadableScript,
  runtime: ScriptWork['runtime'],
): Promise<ScriptFault | null> {
  return (await read(script, runtime)).fault ?? null;
}

interface Read {
  /** Absent = it could not be read. */
  readonly fault?: ScriptFault | null;
  readonly isLate: boolean;
}

const flags = ['--max-old-space-size=256', '--experimental-vm-modules', '--expose-internals', '--no-warnings'];

async function read(script: ReadableScript, { folder, nodeBinary }: ScriptWork['runtime']): Promise<Read> {
  const leave = await lanes.enter();
  try {
    const reader = join(import.meta.dirname, 'inside', 'read.mjs');
    const child = started(nodeBinary, reader);
    if (child === null) return { fault: null, isLate: false };
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
    if (how === 'broken') return { isLate };
    return { fault: how === 'read' && told !== '' ? (JSON.parse(told) as ScriptFault | null) : null, isLate };
  } finally {
    leave();
  }
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
