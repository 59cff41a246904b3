// Runs checkpoints mostly in a thread: on the main thread, a commit would block the event loop for tens of milliseconds
// at every 16 MB (docs/decisions/0003).
import { Worker } from 'node:worker_threads';
import type { Connection } from './connection.ts';
import { checkpoint, checkpointsInThread, type LogState } from './checkpoint.ts';
import { threadFile } from '#lib/package-files.ts';

/**
 * Growth of the log, in pages, that triggers a checkpoint: 16 MB, which contain frequently written pages many times.
 */
const maxPages = 4000;
/** Maximum number of pages that the main thread copies itself: after the thread's first pass, and later. */
const leftAtOnce = 500;
const maxLeft = 1000;
/** Passes of the thread over the log; the rest stays in it until it has grown again by the same amount. */
const maxPasses = 16;
/** Commits between two checks of the log. */
const pollEach = 4;

/** @param writer the only connection that writes */
export function createCheckpoints(path: string, writer: Connection) {
  let thread: Worker | null = null;
  let isInProgress = false;
  let isClosed = false;
  let commits = 0;
  let passes = 0;
  /** State of the log at the last checkpoint. */
  let before: LogState = { inLog: 0, inFile: 0 };

  const ask = (): void => {
    passes++;
    try {
      thread ??= startThread(path, goOn, () => {
        thread = null;
        end();
      });
      thread.postMessage(null);
      isInProgress = true;
    } catch {
      end();
    }
  };
  /** Copies what was written meanwhile, and the last part without concurrent writes, so that the log restarts. */
  const goOn = (): void => {
    if (isClosed) return;
    const now = checkpoint(writer.database, 'NOOP');
    // null while a transaction is in progress: checked again after the next commits.
    const left = now === null ? 0 : now.inLog - now.inFile;
    // A long reader, such as a backup, delays the rest.
    const isProgress = now !== null && (now.inFile > before.inFile || now.inLog < before.inLog);
    if (now !== null) before = now;
    if (!isProgress || passes > maxPasses) end();
    else if (left > (passes > 1 ? maxLeft : leftAtOnce)) ask();
    else {
      checkpoint(writer.database, 'PASSIVE');
      end();
    }
  };
  const end = (): void => {
    passes = 0;
    isInProgress = false;
    if (!isClosed) before = checkpoint(writer.database, 'NOOP') ?? before;
  };

  return {
    /** Call after each commit. */
    noteCommit: () => {
      if (!checkpointsInThread || isClosed || isInProgress || ++commits % pollEach !== 0) return;
      const now = checkpoint(writer.database, 'NOOP');
      if (now === null) return;
      if (now.inLog < before.inLog) before = { inLog: 0, inFile: 0 };
      if (now.inLog - before.inLog >= maxPages) ask();
    },
    /** Stops the thread, if there is one. */
    async close(): Promise<void> {
      isClosed = true;
      await thread?.terminate();
    },
  };
}

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/**
 * If the thread fails, the writer runs a checkpoint once the log has grown fourfold; a new thread is started before.
 */
function startThread(path: string, onMessage: () => void, onEnd: () => void): Worker {
  const thread = new Worker(threadFile('checkpoint-thread', import.meta.url), { workerData: path });
  thread.on('message', onMessage);
  thread.on('error', () => undefined);
  thread.once('exit', onEnd);
  thread.unref();
  return thread;
}
