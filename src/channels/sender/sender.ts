// The sender of this process: attempts are handed to a thread of their own, many at once.
import type { ChannelSender, Sending } from '../kind.ts';
import type { SendOutcome } from '#domain/alerts/delivery.ts';
import { ThreadCalls } from '#lib/thread-calls.ts';
import type { FromSender, SenderSettings, ToSender } from './sender-thread.ts';
import { threadFile } from '#lib/package-files.ts';

/** What the thread may do, and who is told of its end. */
export interface SenderThreadOptions
  extends Pick<SenderSettings, 'egress'>, Partial<Pick<SenderSettings, 'extraCertificates'>> {
  /** As for ChannelSender; 30 s by default (spec §6.5). */
  readonly deadlineMs?: number;
  /** Told when the thread has died; its attempts have come back as interrupted, and it is started again. */
  readonly onThreadEnd?: (error: Error) => void;
}

/** What the next message to the thread holds. */
const emptyOutbox = (): ToSender => ({ numbers: [], sendings: [] });

/**
 * Starts the thread. An attempt whose thread dies, hangs or is closed ends as interrupted: whether it arrived is unknown,
 * and it is repeated under the same id (docs/decisions/0012).
 */
export function createSender({
  egress,
  extraCertificates = [],
  deadlineMs = 30_000,
  onThreadEnd,
}: SenderThreadOptions): ChannelSender {
  const lane = { outbox: emptyOutbox() };
  const calls = new ThreadCalls<{ outbox: ToSender }, SendOutcome>({
    name: 'the sending thread',
    entry: threadFile('sender-thread', import.meta.url),
    data: { egress, extraCertificates, deadlineMs } satisfies SenderSettings,
    lanes: [lane],
    emptyOutbox,
    deadlineMs,
    readAnswers: (_, message) => answersOf(message as FromSender),
    onThreadEnd: (_, error) => onThreadEnd?.(error),
  });
  return {
    async send(sending: Sending) {
      const handedAt = performance.now();
      const { number, answer } = calls.begin(0);
      lane.outbox.numbers.push(number);
      lane.outbox.sendings.push(sending);
      const outcome = await answer.catch((error: Error) => interrupted(sending.startedAt, error.message));
      // From the hand-over on, as the start is: what waited for a busy thread is part of the attempt.
      return { ...outcome, durationMs: Math.round(performance.now() - handedAt) };
    },
    close: () => calls.close(),
  };
}

function answersOf({ numbers, outcomes }: FromSender): (readonly [number, SendOutcome])[] {
  return outcomes.map((outcome, index) => [numbers[index] ?? 0, outcome]);
}

function interrupted(startedAt: number, message: string): SendOutcome {
  return { startedAt, durationMs: 0, headers: [], response: null, error: { class: 'interrupted', message } };
}
