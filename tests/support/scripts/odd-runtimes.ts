// Runtimes whose Node.js does a little more than the real one, which it then becomes: it notes its starts, or waits for leave.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../targets/scripted-server.ts';

/** A runtime without packages. */
interface OddRuntime {
  readonly folder: string;
  readonly nodeBinary: string;
}

function odd(t: Cleanup, before: (folder: string) => string): OddRuntime {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-odd-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules'));
  const nodeBinary = join(folder, 'node');
  writeFileSync(nodeBinary, `#!/bin/sh\n${before(folder)}\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
  return { folder, nodeBinary };
}

/** One that notes each start of its Node.js. */
export function countingRuntime(t: Cleanup): { readonly runtime: OddRuntime; readonly starts: () => number } {
  const notesOf = (folder: string): string => join(folder, 'starts');
  const runtime = odd(t, (folder) => `echo >> '${notesOf(folder)}'`);
  const notes = notesOf(runtime.folder);
  return { runtime, starts: () => (existsSync(notes) ? readFileSync(notes, 'utf8').length : 0) };
}

/** One whose Node.js starts once it is let. */
export function heldRuntime(t: Cleanup): { readonly runtime: OddRuntime; readonly release: () => Promise<void> } {
  const gateOf = (folder: string): string => join(folder, 'gate');
  const runtime = odd(t, (folder) => `read -r _ < '${gateOf(folder)}'`);
  execFileSync('mkfifo', [gateOf(runtime.folder)]);
  // Ends when it is read.
  return { runtime, release: () => writeFile(gateOf(runtime.folder), '\n') };
}
