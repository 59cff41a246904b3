// Monitors a script's resource use and ends its processes.
import type { ChildProcess } from 'node:child_process';
import type { ScriptLimit, ScriptLimits } from '#domain/checks/script.ts';
import { type TreeUse, waitedMs } from './containment/process-tree.ts';
import { yieldProcessor } from './containment/yield-processor.ts';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Interval between checks, in which a fork bomb can grow. */
const pollMs = 100;
/** Checks between two measurements of its folder. */
const pollsPerFolder = 5;
/** Checks at the end: each finds what was started since the one before. */
const endPolls = 50;

/** Monitors a running script. */
export interface Watch {
  /** Kills all known processes, wherever they moved. */
  killAll(): void;
  isDiskFull(): Promise<boolean>;
  /** The longest time that one of its processes was ready to run without a processor so far, ms. */
  waitedMs(): number;
  stop(): void;
}

/**
 *
 * @param lookAt finds its processes
 * @param onPassed called with an exceeded limit, possibly more than once
 */
export function watchUse(
  child: ChildProcess,
  inspectFolder: () => TreeUse,
  home: string,
  limits: ScriptLimits,
  onPassed: (limit: ScriptLimit) => void,
): Watch {
  const { pid } = child;
  /** Processes whose priority cannot be lowered. */
  const unconfirmed = new Set<number>();
  let polls = 0;
  let longestWaitMs = 0;
  const measureWait = (processes: readonly number[]): void => {
    for (const process of processes) longestWaitMs = Math.max(longestWaitMs, waitedMs(process));
  };
  const isDiskFull = async (): Promise<boolean> => (await folderUse(home, limits.diskBytes)) > limits.diskBytes;
  const inspect = (): void => {
    if (pid === undefined) return;
    const { processes, memoryBytes } = inspectFolder();
    for (const process of processes)
      if (!unconfirmed.has(process) && !yieldProcessor(process)) unconfirmed.add(process);
    if (processes.length > limits.processes) onPassed('processes');
    else if (memoryBytes > limits.memoryBytes) onPassed('memory');
    if (++polls % pollsPerFolder !== 0) return;
    measureWait(processes);
    void isDiskFull().then((isFull) => isFull && onPassed('disk'));
  };
  const timer = setInterval(inspect, pollMs);
  return {
    killAll() {
      if (pid === undefined) return;
      const reported = new Set<number>();
      for (let round = 0; round < endPolls; round++) {
        const fresh = inspectFolder().processes.filter((each) => !reported.has(each));
        if (round === 0) kill(-pid);
        // Killed processes start no others: if none is new, all are dead.
        if (fresh.length === 0) return;
        // Youngest first, so that few are left to start another.
        for (const each of fresh.toReversed()) kill(each);
        for (const each of fresh) reported.add(each);
      }
    },
    isDiskFull,
    waitedMs() {
      measureWait(inspectFolder().processes);
      return longestWaitMs;
    },
    stop: () => clearInterval(timer),
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** Minimum size counted per file, so that many small files count. */
const leastBytes = 4096;

/** Returns the bytes below `folder`; stops counting above `max`. */
async function folderUse(folder: string, max: number): Promise<number> {
  let bytes = 0;
  const open = [folder];
  for (let next = open.pop(); next !== undefined && bytes <= max; next = open.pop()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(next, entry.name);
      bytes += leastBytes;
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) bytes += (await lstat(path).catch(() => null))?.size ?? 0;
      if (bytes > max) break;
    }
  }
  return bytes;
}
