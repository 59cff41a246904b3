// Watches what a script takes while it runs, and ends all of its processes.
import type { ChildProcess } from 'node:child_process';
import type { ScriptLimit, ScriptLimits } from '#domain/checks/script.ts';
import { folderUse } from './folder-use.ts';
import type { TreeUse } from './containment/process-tree.ts';
import { yieldProcessor } from './containment/yield-processor.ts';

/** How often it is looked, ms: as long as a bomb may grow. */
const lookMs = 100;
/** How often its folder is, in looks. */
const looksPerFolder = 5;
/** Looks at its end: each finds what was started since the one before. */
const endLooks = 50;

/** What runs, seen from outside. */
export interface Watch {
  /** Every process it started and that is known, wherever it has put itself. */
  killAll(): void;
  isDiskFull(): Promise<boolean>;
  stop(): void;
}

/**
 * @param lookAt what runs of it
 * @param onPassed told which limit is passed, perhaps more than once
 */
export function watchUse(
  child: ChildProcess,
  lookAt: () => TreeUse,
  home: string,
  limits: ScriptLimits,
  onPassed: (limit: ScriptLimit) => void,
): Watch {
  const { pid } = child;
  /** Of which it cannot be said that they are to yield. */
  const unheard = new Set<number>();
  let looks = 0;
  const isDiskFull = async (): Promise<boolean> => (await folderUse(home, limits.diskBytes)) > limits.diskBytes;
  const look = (): void => {
    if (pid === undefined) return;
    const { processes, memoryBytes } = lookAt();
    for (const process of processes) if (!unheard.has(process) && !yieldProcessor(process)) unheard.add(process);
    if (processes.length > limits.processes) onPassed('processes');
    else if (memoryBytes > limits.memoryBytes) onPassed('memory');
    if (++looks % looksPerFolder === 0) void isDiskFull().then((isFull) => isFull && onPassed('disk'));
  };
  const timer = setInterval(look, lookMs);
  return {
    killAll() {
      if (pid === undefined) return;
      const told = new Set<number>();
      for (let round = 0; round < endLooks; round++) {
        const fresh = lookAt().processes.filter((each) => !told.has(each));
        if (round === 0) kill(-pid);
        // Whoever is told starts no other: when nobody is new, that was all.
        if (fresh.length === 0) return;
        // The youngest first, so that few are left to start another.
        for (const each of fresh.toReversed()) kill(each);
        for (const each of fresh) told.add(each);
      }
    },
    isDiskFull,
    stop: () => clearInterval(timer),
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
