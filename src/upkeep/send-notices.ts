// Sends notices about Tocsin itself through the operator's channel, each once and when it ends (docs/decisions/0135).
import { type Delivery, newDelivery } from '#domain/deliveries/delivery.ts';
import { noticesToSend, noticeVariables, type Notice, type SentNotice } from '#domain/alerts/notice-channel.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';

export interface SendNoticesOptions {
  readonly store: {
    /** null = nothing was ever sent. */
    sent(): Promise<readonly SentNotice[] | null>;
    /** Adds the deliveries; false = another process was first. */
    send(
      before: readonly SentNotice[] | null,
      after: readonly SentNotice[],
      deliveries: readonly Delivery[],
    ): Promise<boolean>;
  };
  readonly channel: { readonly accountId: string; readonly alertChannelId: number };
  /** Whether the channel exists. */
  readonly exists: () => Promise<boolean>;
  readonly notices: () => Promise<readonly Notice[]>;
  /** Page of the notices. */
  readonly link: () => string;
  readonly clock: Clock;
  readonly onSent: (notices: readonly SentNotice[]) => void;
  /** Called once while the channel does not exist. */
  readonly onMissing: () => void;
}

const pauseMs = 30_000;

/** One tick. Returns the delay until the next one, ms. */
export function createSendNotices(options: SendNoticesOptions): () => Promise<number> {
  const { store, clock, channel } = options;
  let isMissing = false;
  return async () => {
    const exists = await options.exists();
    if (!exists && !isMissing) options.onMissing();
    isMissing = !exists;
    if (!exists) return pauseMs;
    const stored = await store.sent();
    const sent = stored ?? [];
    const now = clock.now();
    const { opened, ended } = noticesToSend(sent, await options.notices(), now);
    if (opened.length + ended.length === 0) return pauseMs;
    const deliveries = [...opened, ...ended].map((notice): Delivery => {
      const id = newId();
      const variables = noticeVariables(notice, id, options.link());
      const alertType = opened.some((one) => one.id === notice.id) ? 'ALERT_FAILURE' : 'ALERT_RECOVERY';
      return { ...newDelivery({ ...channel, id, alertType }, now), content: { variables, groupId: null } };
    });
    const still = sent.filter((one) => !ended.includes(one));
    const after = [...still, ...opened.map(({ id, kind, since, subject }) => ({ id, kind, since, subject }))];
    if (await store.send(stored, after, deliveries)) options.onSent([...opened, ...ended]);
    return pauseMs;
  };
}
