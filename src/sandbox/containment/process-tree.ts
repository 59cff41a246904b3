// Resource use of a script's processes, read from /proc so that the script cannot falsify it.
import { readdirSync, readFileSync } from 'node:fs';

/** Combined resource use of a script's processes. */
export interface TreeUse {
  readonly processes: readonly number[];
  /** Private memory. */
  readonly memoryBytes: number;
}

/** Page size. The same on every Linux machine that Node.js supports, except some arm64 kernels. */
export const pageBytes = 4096;

/** Returns the use of the process `pid` and its descendants. Empty without /proc. */
export function treeUse(pid: number): TreeUse {
  const processes: number[] = [];
  let memoryBytes = 0;
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const pages = privatePages(next);
    if (pages === null) continue;
    processes.push(next);
    memoryBytes += pages * pageBytes;
    open.push(...findChildren(next));
  }
  return { processes, memoryBytes };
}

/** Private pages of a process; null if it does not exist. */
export function privatePages(pid: number): number | null {
  try {
    const [, resident = '0', shared = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return Number(resident) - Number(shared);
  } catch {
    return null;
  }
}

/**
 * How long the main thread of a process was ready to run, but waited for a processor, ms; 0 if the kernel does not
 * measure it.
 */
export function waitedMs(pid: number): number {
  const [, waitedNs = '0'] = readIfThere(`/proc/${pid}/schedstat`).split(' ');
  return Number(waitedNs) / 1e6;
}

/** Each thread lists the processes that it started; children of an ended thread move to another. */
function findChildren(pid: number): number[] {
  const children = (thread: string): string => readIfThere(`/proc/${pid}/task/${thread}/children`);
  return findThreads(pid).flatMap((thread) => children(thread).split(' ').filter(Boolean).map(Number));
}

function findThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
