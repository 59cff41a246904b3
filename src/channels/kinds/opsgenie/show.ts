// How Opsgenie channels are presented.
import type { ChannelShow } from '../../show.ts';

export const opsgenieShow: ChannelShow = { type: 'OPSGENIE', label: 'Opsgenie', icon: 'bell' };
