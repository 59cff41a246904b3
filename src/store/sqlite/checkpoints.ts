// Copies the log back into the file before it grows, most of it in a thread beside: at every sixteen megabytes a commit would
// hold the loop for tens of milliseconds (docs/decisions/0088).
import { startThreadPool, type ThreadPool } from '#lib/thread-pool.ts';
import type { Connection } from './connection.ts';
import { copyBack, type CopiedBack } from './copy-back.ts';

/** Keeps the log short while its file is written. */
export interface Checkpoints {
  /** To be called after each commit. */
  readonly noteCommit: () => void;
  /** Ends the thread, if there is one. */
  close(): Promise<void>;
}

/** Pages in the log from which on it is copied back: 16 MB, in which a page that is written often stands many times. */
const pagesMost = 4000;
/** Pages that the loop may copy itself. */
const leftMost = 500;
/** Pages of a commit until it is known how many it has. */
const pagesGuessed = 20;
/** Between two looks whether a transaction has ended, ms. */
const lookAgainMs = 5;

/** @param writer the only connection that writes */
export function createCheckpoints(path: string, writer: Connection): Checkpoints {
  let thread: ThreadPool | null = null;
  let isUnderWay = false;
  let isClosed = false;
  let commits = 0;
  let pagesPerCommit = pagesGuessed;
  /** Pages that were in the log when it was last looked at; 0 = it begins anew. */
  let before = 0;
  /** What this round has brought into the file. */
  let inFile = 0;

  const ask = (): void => {
    thread ??= startThreadPool({
      entry: new URL('./checkpoint-thread.ts', import.meta.url),
      size: 1,
      data: path,
      onMessage: (_, answer) => take(answer as CopiedBack | null),
      onEnd: () => (isUnderWay = false),
      onRestart: () => undefined,
    });
    isUnderWay = thread.post(0, null);
  };
  const take = (answer: CopiedBack | null): void => {
    if (isClosed) return;
    if (answer === null) return end(before);
    pagesPerCommit = Math.max(1, (answer.inLog - before) / Math.max(1, commits));
    // Whoever reads for long, as a backup does, holds up the rest.
    const isProgress = answer.inFile > inFile;
    inFile = answer.inFile;
    if (isProgress && answer.inLog - answer.inFile > leftMost) ask();
    else finish();
  };
  /** The rest while nobody writes, so that the log begins anew: beside a busy writer it would never be empty. */
  const finish = (): void => {
    if (isClosed) return;
    if (writer.database.isTransaction) return void setTimeout(finish, lookAgainMs).unref();
    const answer = copyBack(writer.database);
    end(answer === null || answer.inLog === answer.inFile ? 0 : answer.inLog);
  };
  const end = (pages: number): void => {
    before = pages;
    inFile = 0;
    commits = 0;
    isUnderWay = false;
  };

  return {
    noteCommit: () => {
      commits++;
      if (!isUnderWay && !isClosed && commits * pagesPerCommit >= pagesMost) ask();
    },
    async close() {
      isClosed = true;
      await thread?.close();
    },
  };
}
