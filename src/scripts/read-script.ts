// Reads a text as a script without running it: in a thread of its own, because foreign text may be made to break what reads it.
import { Worker } from 'node:worker_threads';
import type { ScriptFault } from '#domain/script.ts';

/** Longer than any text of a permitted size takes, ms. */
const mostMs = 10_000;

/** What keeps a module from being one, the first of it; null = nothing. The same words that Node.js would say later. */
export function scriptFault(text: string): Promise<ScriptFault | null> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./reading-thread.ts', import.meta.url), {
      workerData: text,
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    const end = (fault: ScriptFault | null): void => {
      clearTimeout(timer);
      resolve(fault);
      void worker.terminate();
    };
    const timer = setTimeout(() => end({ message: 'it takes too long to read' }), mostMs);
    worker.once('message', end);
    worker.once('error', () => end({ message: 'it is too deep or too large to be read' }));
  });
}
