// How webhooks are presented.
import type { ChannelShow } from '../../show.ts';

export const webhookShow: ChannelShow = { type: 'WEBHOOK', label: 'Webhook', icon: 'webhook' };
