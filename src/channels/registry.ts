// The kinds of channels there are: a new kind is a folder and a line here. The first is that of a preview that names none.
import type { ChannelKind } from './kind.ts';
import { webhookKind } from './kinds/webhook/webhook-kind.ts';

/** Every kind; everything that depends on a channel's type asks here. */
export const channelKinds = [webhookKind] as const satisfies readonly ChannelKind[];
