// Sends deliveries in a separate thread, in batches.
import type { ChannelSender, Sending } from '../kind.ts';
import { noGateways } from '#domain/deliveries/gateways.ts';
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import { ThreadCalls } from '#lib/thread-calls.ts';
import type { FromSender, SenderSettings, ToSender } from './sender-thread.ts';
import { threadFile } from '#lib/package-files.ts';

export interface SenderThreadOptions
  extends Pick<SenderSettings, 'egress'>, Partial<Pick<SenderSettings, 'extraCertificates' | 'gateways'>> {
  /** See ChannelSender. Default 30 s (spec §6.5). */
  readonly deadlineMs?: number;
  /** Called when the thread dies. Its attempts end as interrupted and the thread restarts. */
  readonly onThreadEnd?: (error: Error) => void;
}

/** Contents of the next message to the thread. */
const emptyOutbox = (): ToSender => ({ numbers: [], sendings: [] });

/**
 * Starts the thread. If it dies, hangs or is closed, its attempts end as interrupted and are repeated under the same
 * id, because they may have arrived (docs/decisions/0012).
 */
export function createSender({
  egress,
  gateways = noGateways,
  extraCertificates = [],
  deadlineMs = 30_000,
  onThreadEnd,
}: SenderThreadOptions): ChannelSender {
  const lane = { outbox: emptyOutbox() };
  const calls = new ThreadCalls<{ outbox: ToSender }, SendOutcome>({
    name: 'the sending thread',
    entry: threadFile('sender-thread', import.meta.url),
    data: { egress, gateways, extraCertificates, deadlineMs } satisfies SenderSettings,
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
      // Measured from the handover, so that waiting for a busy thread counts.
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
