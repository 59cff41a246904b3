/** The senders of alert channels, by type: apart from the kinds, because they run in a thread of their own. */
import type { ChannelType } from '#domain/alert-channel.ts';
import { createWebhookSender } from './webhook/send.ts';
import type { SenderOptions, WebhookSender } from './webhook/send.ts';

/** Channel type → its sender. One is enough for all channels of the type. */
export const createSenders: Readonly<Record<ChannelType, (options: SenderOptions) => WebhookSender>> = {
  WEBHOOK: createWebhookSender,
};
