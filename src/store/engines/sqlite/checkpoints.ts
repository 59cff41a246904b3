// Copies the log back into the file before it grows, most of it in a thread beside: at every sixteen megabytes a commit would
// hold the loop for tens of milliseconds (docs/decisions/0003).
import { Worker } from 'node:worker_threads';
import type { Connection } from './connection.ts';
import { checkpoint, copiesBeside, type LogState } from './checkpoint.ts';
import { threadFile } from '#lib/package-files.ts';

/** Keeps the log short while its file is written. */
export interface Checkpoints {
  /** To be called after each commit. */
  readonly noteCommit: () => void;
  /** Ends the thread, if there is one. */
  close(): Promise<void>;
}

/** Pages by which the log grows before it is copied back: 16 MB, in which a page that is written often stands many times. */
const pagesMost = 4000;
/** Pages that the loop copies itself, at most: after the first time that the thread has gone through the log, and later. */
const leftAtOnce = 500;
const leftMost = 1000;
/** Times that the thread goes through the log; what is left then stays in it until it has grown as much again. */
const passesMost = 16;
/** Commits between two looks at the log. */
const lookEach = 4;

/** @param writer the only connection that writes */
export function createCheckpoints(path: string, writer: Connection): Checkpoints {
  let thread: Worker | null = null;
  let isUnderWay = false;
  let isClosed = false;
  let commits = 0;
  let passes = 0;
  /** How the log stood when it was last copied back. */
  let before: LogState = { inLog: 0, inFile: 0 };

  const ask = (): void => {
    passes++;
    try {
      thread ??= startThread(path, goOn, () => {
        thread = null;
        end();
      });
      thread.postMessage(null);
      isUnderWay = true;
    } catch {
      end();
    }
  };
  /** Again what was written meanwhile; the last of it while nobody writes, so that the log begins anew. */
  const goOn = (): void => {
    if (isClosed) return;
    const now = checkpoint(writer.database, 'NOOP');
    // null as long as a transaction is under way: it is asked again after the next commits.
    const left = now === null ? 0 : now.inLog - now.inFile;
    // Whoever reads for long, as a backup does, holds up the rest.
    const isProgress = now !== null && (now.inFile > before.inFile || now.inLog < before.inLog);
    if (now !== null) before = now;
    if (!isProgress || passes > passesMost) end();
    else if (left > (passes > 1 ? leftMost : leftAtOnce)) ask();
    else {
      checkpoint(writer.database, 'PASSIVE');
      end();
    }
  };
  const end = (): void => {
    passes = 0;
    isUnderWay = false;
    if (!isClosed) before = checkpoint(writer.database, 'NOOP') ?? before;
  };

  return {
    noteCommit: () => {
      if (!copiesBeside || isClosed || isUnderWay || ++commits % lookEach !== 0) return;
      const now = checkpoint(writer.database, 'NOOP');
      if (now === null) return;
      if (now.inLog < before.inLog) before = { inLog: 0, inFile: 0 };
      if (now.inLog - before.inLog >= pagesMost) ask();
    },
    async close() {
      isClosed = true;
      await thread?.terminate();
    },
  };
}

/** Whatever is wrong with it, the writer copies the log back when it has grown fourfold, and another is started before. */
function startThread(path: string, onMessage: () => void, onEnd: () => void): Worker {
  const thread = new Worker(threadFile('checkpoint-thread', import.meta.url), { workerData: path });
  thread.on('message', onMessage);
  thread.on('error', () => undefined);
  thread.once('exit', onEnd);
  thread.unref();
  return thread;
}
