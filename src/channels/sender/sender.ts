// The sender of this process: attempts are handed to a thread of their own, many at once.
import type { Sending, WebhookSender } from '../kinds/webhook/send.ts';
import type { SendOutcome } from '#domain/alerts/delivery.ts';
import { startThreadPool, type ThreadPool } from '#lib/thread-pool.ts';
import type { FromSender, SenderSettings, ToSender } from './sender-thread.ts';
import { threadFile } from '#lib/package-files.ts';

/** What the thread may do, and who is told of its end. */
export interface SenderThreadOptions
  extends Pick<SenderSettings, 'egress'>, Partial<Pick<SenderSettings, 'extraCertificates'>> {
  /** As for WebhookSender; 30 s by default (spec §6.5). */
  readonly deadlineMs?: number;
  /** Told when the thread has died; its attempts have come back as interrupted, and it is started again. */
  readonly onThreadEnd?: (error: Error) => void;
}

interface Pending {
  readonly handedAt: number;
  readonly startedAt: number;
  readonly resolve: (outcome: SendOutcome) => void;
}

/** Attempts handed in and not yet back, and those of them that still wait for the thread. */
interface Desk {
  readonly pending: Map<number, Pending>;
  outbox: ToSender;
}

/** Beyond its deadline an attempt may be this late before the thread counts as hung, ms. */
const hungAfterMs = 15_000;
const watchMs = 5000;

/**
 * Starts the thread. An attempt whose thread dies, hangs or is closed ends as interrupted: whether it arrived is unknown,
 * and it is repeated under the same id (docs/decisions/0012).
 */
export function createSender({
  egress,
  extraCertificates = [],
  deadlineMs = 30_000,
  onThreadEnd,
}: SenderThreadOptions): WebhookSender {
  const desk: Desk = { pending: new Map(), outbox: { numbers: [], sendings: [] } };
  let lastNumber = 0;
  let isFlushing = false;
  let isClosed = false;
  const pool = startThreadPool({
    entry: threadFile('sender-thread', import.meta.url),
    size: 1,
    data: { egress, extraCertificates, deadlineMs } satisfies SenderSettings,
    onMessage: (_, message) => settle(desk, message as FromSender),
    onEnd: (_, error) => {
      giveBack(desk, `the sending thread died: ${error.message}`);
      onThreadEnd?.(error);
    },
    onRestart: () => flush(desk, pool),
  });
  const watch = setInterval(() => {
    const [oldest] = desk.pending.values();
    if (oldest !== undefined && performance.now() - oldest.handedAt > deadlineMs + hungAfterMs) pool.kill(0);
  }, watchMs);
  watch.unref();

  return {
    send(sending: Sending) {
      if (isClosed) return Promise.resolve(interrupted(sending.startedAt, 0, 'the process is stopping'));
      const number = ++lastNumber;
      desk.outbox.numbers.push(number);
      desk.outbox.sendings.push(sending);
      if (!isFlushing) {
        isFlushing = true;
        queueMicrotask(() => {
          isFlushing = false;
          flush(desk, pool);
        });
      }
      return new Promise((resolve) => {
        desk.pending.set(number, { handedAt: performance.now(), startedAt: sending.startedAt, resolve });
      });
    },
    async close() {
      isClosed = true;
      clearInterval(watch);
      await pool.close();
      desk.outbox = { numbers: [], sendings: [] };
      giveBack(desk, 'the process stopped during the attempt');
    },
  };
}

/** What is not taken, because the thread is down, stays for the next one. */
function flush(desk: Desk, pool: ThreadPool): void {
  if (desk.outbox.numbers.length > 0 && pool.post(0, desk.outbox)) desk.outbox = { numbers: [], sendings: [] };
}

function settle({ pending }: Desk, { numbers, outcomes }: FromSender): void {
  for (const [index, number] of numbers.entries()) {
    const outcome = outcomes[index];
    const attempt = pending.get(number);
    pending.delete(number);
    // From the hand-over on, as the start is: what waited for a busy thread is part of the attempt.
    const durationMs = Math.round(performance.now() - (attempt?.handedAt ?? 0));
    if (outcome !== undefined) attempt?.resolve({ ...outcome, durationMs });
  }
}

/** All that was sent to a thread that is gone; what waits for the next one stays. */
function giveBack({ pending, outbox }: Desk, message: string): void {
  const unsent = new Set(outbox.numbers);
  for (const [number, { startedAt, handedAt, resolve }] of pending) {
    if (unsent.has(number)) continue;
    pending.delete(number);
    resolve(interrupted(startedAt, performance.now() - handedAt, message));
  }
}

function interrupted(startedAt: number, durationMs: number, message: string): SendOutcome {
  return {
    startedAt,
    durationMs: Math.round(durationMs),
    headers: [],
    response: null,
    error: { class: 'interrupted', message },
  };
}
