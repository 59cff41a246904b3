// Queues work on responses for a separate thread: one job at a time, fair between accounts, within limits.
import { errorMessage } from '#lib/errors.ts';
import { Worker } from 'node:worker_threads';
import {
  type AnswerWork,
  messageOf,
  type Offload,
  undone,
  type WireBody,
  type WorkedAnswer,
} from '../parts/findings/answer-work.ts';
import { FairQueue } from '#lib/fair-queue.ts';
import { threadFile } from '#lib/package-files.ts';

/** Maximum wait of a job. */
const maxWaitMs = 5000;
/** Maximum duration of a job, which cannot stop itself. */
const maxJobMs = 5000;
/** Idle time after which the thread ends to free its memory. */
const idleMs = 10_000;
/** Memory limit of the thread. Documents of 5 MB take up to half of it. */
const maxMemoryMb = 160;

const tooBusy = { problem: 'Tocsin was too busy to evaluate it', isOurs: true } as const;

interface Job {
  readonly work: AnswerWork;
  readonly settle: (worked: WorkedAnswer) => void;
  readonly giveUp: NodeJS.Timeout;
}

/** Creates the queue. The thread starts on demand. */
export function createAnswerQueue(memoryMb = maxMemoryMb): Offload {
  const waiting = new FairQueue<Job>();
  let thread: Worker | null = null;
  let running: { readonly job: Job; readonly stop: NodeJS.Timeout } | null = null;
  let idle: NodeJS.Timeout | undefined;

  const end = (worked: WorkedAnswer): void => {
    if (running === null) return;
    const { job, stop } = running;
    clearTimeout(stop);
    running = null;
    job.settle(worked);
    startNext();
  };
  const dismiss = (): void => {
    void thread?.terminate();
    thread = null;
  };
  const startThread = (): Worker => {
    const started = startAnswerThread(memoryMb);
    const lost = (outcome: Parameters<typeof undone>[1]): void => {
      if (thread !== started) return;
      thread = null;
      if (running !== null) end(undone(running.job.work, outcome));
    };
    started.on('message', (worked: WorkedAnswer) => {
      if (thread === started) end(worked);
    });
    started.on('error', (error: unknown) => lost({ problem: problemOf(error, memoryMb) }));
    started.once('exit', () => lost(tooBusy));
    return started;
  };
  const startNext = (): void => {
    if (running !== null) return;
    const job = waiting.next();
    if (job === undefined) {
      idle ??= setTimeout(dismiss, idleMs).unref();
      return;
    }
    clearTimeout(idle);
    idle = undefined;
    clearTimeout(job.giveUp);
    thread ??= startThread();
    const stop = setTimeout(() => {
      dismiss();
      end(undone(job.work, tooBusy));
    }, maxJobMs);
    running = { job, stop };
    post(thread, job.work);
  };

  return (work) =>
    new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        waiting.remove(work.accountId, job);
        resolve(undone(work, tooBusy));
      }, maxWaitMs);
      const job: Job = { work, settle: resolve, giveUp };
      waiting.add(work.accountId, job);
      startNext();
    });
}

function startAnswerThread(memoryMb: number): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 };
  const thread = new Worker(threadFile('answer-thread', import.meta.url), { resourceLimits });
  thread.unref();
  return thread;
}

function problemOf(error: unknown, memoryMb: number): string {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (isMemory) return `evaluation takes more than ${memoryMb} MB of memory`;
  return `evaluation failed: ${errorMessage(error)}`;
}

/** Transfers the body instead of copying it. */
function post(thread: Worker, work: AnswerWork): void {
  const message = messageOf(withOwnBody(work));
  const { body } = message;
  thread.postMessage(message, isWire(body) ? body.pieces.map((piece) => piece.buffer as ArrayBuffer) : []);
}

/** Joins the body into one transferable buffer. */
function withOwnBody(work: AnswerWork): AnswerWork {
  const { body } = work;
  if (!isWire(body)) return work;
  const whole = Buffer.allocUnsafeSlow(body.pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of body.pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return { ...work, body: { ...body, pieces: [whole] } };
}

function isWire(body: AnswerWork['body']): body is WireBody {
  return typeof body === 'object' && body !== null;
}
