// How channels for SMS messages and calls are presented.
import type { ChannelShow } from '../../show.ts';

export const smsShow: ChannelShow = { type: 'SMS', label: 'SMS', icon: 'smartphone' };
export const callShow: ChannelShow = { type: 'CALL', label: 'Phone call', icon: 'phone' };
