// Test files that do not end by themselves: something that a test opened and nobody closed keeps their process.
import type { run } from 'node:test';

interface RunningFile {
  /** Ids of its tests and suites that are still to end. */
  readonly open: Set<number>;
  hasBegun: boolean;
  /** s since it last told of a test. */
  silentFor: number;
}

/** s: how long nothing is heard of a file before it counts as one that does not end. */
export interface Patience {
  /** Once all its tests have ended. */
  readonly ended: number;
  /** While it is loaded, or one of its tests runs. */
  readonly running: number;
}

/**
 * Watches the files of a run until its stream closes.
 *
 * @param onUnended called once for each file that does not end, with its absolute path and whether all its tests ended
 */
export function watchFiles(
  stream: ReturnType<typeof run>,
  patience: Patience,
  onUnended: (file: string, isDone: boolean) => void,
): void {
  const files = new Map<string, RunningFile>();
  const hear = (told: Told, note: (file: RunningFile) => void): void => {
    const file = files.get(told.entryFile ?? told.file ?? '');
    if (file === undefined || isFile(told)) return;
    note(file);
    file.hasBegun = true;
    file.silentFor = 0;
  };
  stream.on('test:dequeue', (told) => {
    if (isFile(told)) files.set(told.file ?? '', { open: new Set(), hasBegun: false, silentFor: 0 });
  });
  stream.on('test:enqueue', (told) => hear(told, ({ open }) => open.add(told.testId)));
  stream.on('test:complete', (told) => {
    if (isFile(told)) files.delete(told.file ?? '');
    else hear(told, ({ open }) => open.delete(told.testId));
  });
  // Seconds are counted here, not read from a clock: a machine that slept has not heard less of its files.
  const ticking = setInterval(() => {
    for (const [path, file] of files) {
      const isDone = file.hasBegun && file.open.size === 0;
      if (++file.silentFor < (isDone ? patience.ended : patience.running)) continue;
      files.delete(path);
      onUnended(path, isDone);
    }
  }, 1000);
  stream.once('close', () => clearInterval(ticking));
}

/** What events say of a test; those of a process as a whole bear no `entryFile`, which node:test does not document. */
export interface Told {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly entryFile?: string;
}

/** Whether an event tells of a file as a whole: it is named as it was asked for. */
function isFile({ name, nesting, file }: Told): boolean {
  return nesting === 0 && file !== undefined && file === name;
}
