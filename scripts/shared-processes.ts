// Puts files of tests together that may share a process: loading modules takes longer than most of them do.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Bytes of files that share a process: some seconds of tests, so that what is left at the end can be divided. */
const bytesMost = 60_000;

/** A hook outside of every suite is about its whole process, and so is what a file sets of it. */
const isAboutItsProcess = /^(before|after|beforeEach|afterEach)\(|\bprocess\.env\[[^\]]+\] = |\bprocess\.(chdir|on)\(/m;

/** Cases of the conformance suite, which counts them itself: node:test takes them for those of the file that makes them. */
const importsCases = /^import .* from '[^']*\/(each-engine|[\w-]+-under-test)\.ts';$/m;

/** What one process runs. */
export interface SharedProcess {
  /** What it is started with: the file itself, or one that loads all of them. */
  readonly entry: string;
  readonly files: readonly string[];
  /** Of all files, together. */
  readonly bytes: number;
}

/** Whether the tests of a file are not told under its name. */
export function isMadeElsewhere(file: string): boolean {
  return importsCases.test(readFileSync(file, 'utf8'));
}

/** One that runs a single file. */
export function ownProcess(file: string): SharedProcess {
  return { entry: file, files: [file], bytes: statSync(file).size };
}

/**
 * Files are put together in the order in which they come.
 *
 * @param folder for what loads them, which is written there
 */
export function shareProcesses(files: readonly string[], folder: string): SharedProcess[] {
  mkdirSync(folder, { recursive: true });
  const made: SharedProcess[] = [];
  let open: string[] = [];
  let bytes = 0;
  const close = (): void => {
    const [first] = open;
    if (first === undefined) return;
    const entry = open.length === 1 ? first : join(folder, `together-${made.length}.test.mjs`);
    if (open.length > 1) writeFileSync(entry, open.map((file) => `import '${pathToFileURL(file)}';\n`).join(''));
    made.push({ entry, files: open, bytes });
    [open, bytes] = [[], 0];
  };
  for (const file of files) {
    const own = ownProcess(file);
    if (isAboutItsProcess.test(readFileSync(file, 'utf8'))) {
      made.push(own);
      continue;
    }
    if (bytes + own.bytes > bytesMost) close();
    open.push(file);
    bytes += own.bytes;
  }
  close();
  return made;
}
