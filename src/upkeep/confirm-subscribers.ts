// Sends the mails that ask subscribers of status pages to confirm their address, when they are due.
import type { StatusSubscriber } from '#domain/status-pages/status-subscriber.ts';
import type { Clock } from '#lib/clock.ts';

export interface ConfirmSubscribersOptions {
  readonly store: {
    nextDue(): Promise<number | null>;
    /** Takes mails that are due; each is due again later unless it is sent. */
    take(limit: number): Promise<readonly StatusSubscriber[]>;
    sent(subscriber: StatusSubscriber): Promise<unknown>;
  };
  /** Rejects if the mail was not accepted. */
  readonly send: (subscriber: StatusSubscriber) => Promise<void>;
  readonly clock: Clock;
  readonly onUnsent: (subscriber: StatusSubscriber, error: unknown) => void;
}

const everyMs = 1000;
/** Mails that are sent at a time: one that hangs delays few others. */
const atOnce = 8;

/** One tick. Returns the delay until the next one, ms. */
export function createConfirmSubscribers({ store, send, clock, onUnsent }: ConfirmSubscribersOptions) {
  return async (): Promise<number> => {
    const due = await store.nextDue();
    const now = clock.now();
    if (due === null || due > now) return due === null ? everyMs : Math.min(everyMs, due - now);
    const taken = await store.take(atOnce);
    await Promise.all(
      taken.map(async (subscriber) => {
        try {
          await send(subscriber);
        } catch (error) {
          onUnsent(subscriber, error);
          return;
        }
        await store.sent(subscriber);
      }),
    );
    return 0;
  };
}
