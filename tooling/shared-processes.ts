// Puts files of tests together that may share a process: loading modules takes longer than most of them do.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Bytes of files that share a process, unless told otherwise: some seconds of tests, so that what is left at the end can be divided. */
const usualBytes = 110_000;

/** A hook outside of every suite is about its whole process, and so is what a file sets of it. */
const isAboutItsProcess = /^(before|after|beforeEach|afterEach)\(|\bprocess\.env\[[^\]]+\] = |\bprocess\.(chdir|on)\(/m;

/** Cases that are made by what counts them: node:test takes them for those of the file that makes them. */
const importsCases = /^import .* from '[^']*\/(each-engine|each-topology|[\w-]+-under-test)\.ts';$/m;

/** Flows whose cases all use a service that was started for them, and need none of their own. */
const usesCommonService = /^import \{ describe( as \w+)? \} from '[^']*\/each-topology\.ts';$/m;
const needsOwnService = /\bown: /;

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

/** Whether a flow can use the service of another one, when both are in one process. */
export function sharesItsService(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  return usesCommonService.test(text) && !needsOwnService.test(text);
}

/** One that runs a single file. */
export function ownProcess(file: string): SharedProcess {
  return { entry: file, files: [file], bytes: statSync(file).size };
}

/**
 * Files are put together in the order in which they come.
 *
 * @param folder for what loads them, which is written there
 * @param bytesMost of the files of one process
 */
export function shareProcesses(
  files: readonly string[],
  folder: string,
  bytesMost: number = usualBytes,
): SharedProcess[] {
  mkdirSync(folder, { recursive: true });
  const [alone, others]: [SharedProcess[], SharedProcess[]] = [[], []];
  for (const file of files) {
    (isAboutItsProcess.test(readFileSync(file, 'utf8')) ? alone : others).push(ownProcess(file));
  }
  const shared: SharedProcess[] = [];
  for (const own of others) {
    const last = shared.at(-1);
    if (last === undefined || last.bytes + own.bytes > bytesMost) shared.push(own);
    else shared[shared.length - 1] = { ...own, files: [...last.files, ...own.files], bytes: last.bytes + own.bytes };
  }
  return [...alone, ...shared.map((each, place) => withEntry(each, join(folder, `together-${place}.test.mjs`)))];
}

/** @param entry where to write what loads all of its files, if there are several */
function withEntry(shared: SharedProcess, entry: string): SharedProcess {
  if (shared.files.length === 1) return shared;
  writeFileSync(entry, shared.files.map((file) => `import '${pathToFileURL(file).href}';\n`).join(''));
  return { ...shared, entry };
}
