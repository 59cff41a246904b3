// Watches what a script takes while it runs, and ends all of its processes.
import type { ChildProcess } from 'node:child_process';
import type { ScriptLimit, ScriptLimits } from '#domain/script.ts';
import { folderUse } from './folder-use.ts';
import { treeUse } from './process-tree.ts';
import { yieldProcessor } from './yield-processor.ts';

/** How often it is looked, ms: as long as a bomb may grow. */
const lookMs = 100;
/** How often its folder is, in looks. */
const looksPerFolder = 5;

/** What runs, seen from outside. */
export interface Watch {
  /** Every process it started and that is known, wherever it has put itself. */
  killAll(): void;
  isDiskFull(): Promise<boolean>;
  stop(): void;
}

/** @param onPassed told which limit is passed, perhaps more than once */
export function watchUse(
  child: ChildProcess,
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
    const { processes, memoryBytes } = treeUse(pid);
    for (const process of processes) if (!unheard.has(process) && !yieldProcessor(process)) unheard.add(process);
    if (processes.length > limits.processes) onPassed('processes');
    else if (memoryBytes > limits.memoryBytes) onPassed('memory');
    if (++looks % looksPerFolder === 0) void isDiskFull().then((isFull) => isFull && onPassed('disk'));
  };
  const timer = setInterval(look, lookMs);
  return {
    killAll() {
      if (pid === undefined) return;
      // Those that run now, the youngest first, so that none is left to start another.
      const { processes } = treeUse(pid);
      kill(-pid);
      for (const process of processes.toReversed()) kill(process);
      // A second look: what was started between the first and its end.
      for (const process of treeUse(pid).processes) kill(process);
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
