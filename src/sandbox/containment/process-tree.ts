// What the processes of a script take, read from /proc: the script cannot say anything else of itself.
import { readdirSync, readFileSync } from 'node:fs';

/** A script's processes together. */
export interface TreeUse {
  readonly processes: readonly number[];
  /** Memory that they share with nobody, bytes. */
  readonly memoryBytes: number;
}

/** Bytes of a page of memory; the same on every machine that Node.js runs on under Linux, but for some arm64 kernels. */
export const pageBytes = 4096;

/** The process `pid` and all that descends from it; empty where there is no /proc. */
export function treeUse(pid: number): TreeUse {
  const processes: number[] = [];
  let memoryBytes = 0;
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const pages = privatePages(next);
    if (pages === null) continue;
    processes.push(next);
    memoryBytes += pages * pageBytes;
    open.push(...childrenOf(next));
  }
  return { processes, memoryBytes };
}

/** Pages that the process shares with nobody; null = there is none of that number. */
export function privatePages(pid: number): number | null {
  try {
    const [, resident = '0', shared = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return Number(resident) - Number(shared);
  } catch {
    return null;
  }
}

/** Each thread lists those that it started; one that ends meanwhile leaves them to another. */
function childrenOf(pid: number): number[] {
  const children = (thread: string): string => readIfThere(`/proc/${pid}/task/${thread}/children`);
  return threadsOf(pid).flatMap((thread) => children(thread).split(' ').filter(Boolean).map(Number));
}

function threadsOf(pid: number): string[] {
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
